import { type Listing } from '@juicebar/contract/schemas'
import { useEffect, useRef, useState } from 'react'

import { whenFirstLoadIsOver } from '../../ui/lazy-component.ts'
import { ListingCard } from './listing-card.tsx'

interface MarketGridProps {
  listings: readonly Listing[]
  walletAddress: string | undefined
  cooldowns: ReadonlyMap<string, number>
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  gathered: ReadonlySet<string>
  onGather: ((listing: Listing) => void) | undefined
  /** Called when the last rows come near. */
  onEnd: () => void
}

/**
 * The board of listings. Once it is measured, only the cards near the window are in the page, however long the list is, and glide to their
 * places; before, the style sheet lays it out.
 */
export function MarketGrid({ listings, onEnd, walletAddress, cooldowns, onBuy, gathered, onGather }: MarketGridProps) {
  const { ref, measured, glides } = useBoard()
  const near = useNearCards(listings.length, measured, onEnd)
  return (
    <div className="board-frame">
      <ul ref={ref} className={measured ? 'relative' : 'board'} style={measured && { height: heightOf(measured.board, listings.length) }}>
        {listings.slice(near.from, near.to).map((listing, index) => (
          <li
            key={listing._id}
            className={measured && `absolute top-0 left-0 ${glides ? 'place' : ''}`}
            style={measured && placeStyle(measured.board, near.from + index)}
          >
            <ListingCard
              listing={listing}
              isOwn={listing.seller === walletAddress}
              waitUntil={cooldowns.get(listing._id)}
              onBuy={onBuy}
              isGathered={gathered.has(listing._id)}
              onGather={onGather}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Which cards are in the page, as places in the list of them: all until the board is measured. */
function useNearCards(count: number, measured: Measured | undefined, onEnd: () => void): { from: number; to: number } {
  const { board, top } = measured ?? { board: undefined, top: 0 }
  const columns = board?.columns ?? 1
  const rows = Math.ceil(count / columns)
  const { first, end } = useVisibleRows({ count: board ? rows : 0, rowHeight: board ? board.cardHeight + board.gap : 0, top })
  const isAtEnd = board !== undefined && end >= rows
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])
  return board ? { from: first * columns, to: end * columns } : { from: 0, to: count }
}

function heightOf({ columns, cardHeight, gap }: Board, count: number): number {
  return Math.ceil(count / columns) * (cardHeight + gap) - gap
}

function placeStyle(board: Board, index: number) {
  const x = (index % board.columns) * (board.cardWidth + board.gap)
  const y = Math.floor(index / board.columns) * (board.cardHeight + board.gap)
  return { width: board.cardWidth, height: board.cardHeight, transform: `translate(${x}px, ${y}px)` }
}

/** A board, and how far down the page it begins, in pixels. */
interface Measured {
  board: Board
  top: number
}

/**
 * The board that fits the element of `ref`, undefined until the first load is over, which measuring would only hold up; and whether cards glide to
 * new places, which they do once they have been painted at their first.
 */
function useBoard() {
  const ref = useRef<HTMLUListElement>(null)
  const [measured, setMeasured] = useState<Measured>()
  useEffect(() => {
    const measure = () => {
      if (!ref.current) return
      const { top, width } = ref.current.getBoundingClientRect()
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setMeasured({ board: boardFor(width, rem), top: top + window.scrollY })
    }
    // It reports each element once when it begins to observe it.
    const observer = new ResizeObserver(measure)
    let isShown = true
    void whenFirstLoadIsOver().then(() => {
      if (!ref.current || !isShown) return
      observer.observe(ref.current)
      observer.observe(document.body)
    })
    return () => {
      isShown = false
      observer.disconnect()
    }
  }, [])
  const [glides, setGlides] = useState(false)
  const isMeasured = measured !== undefined
  useEffect(() => {
    if (!isMeasured) return undefined
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setGlides(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [isMeasured])
  return { ref, measured, glides }
}

/** Rows to render beyond the window's edges, so that scrolling never shows a gap. */
const OVERSCAN = 3

/** Rows of one height, one below the other. Lengths are in pixels. */
interface Rows {
  count: number
  rowHeight: number
  /** Where on the page the first row begins. */
  top: number
}

/** The rows from `first` to just before `end`. */
interface RowRange {
  first: number
  end: number
}

/** How far the window is scrolled, and how high it is. */
interface Pane {
  scroll: number
  height: number
}

/** Which rows are near the window. */
export function visibleRange({ count, rowHeight, top }: Rows, { scroll, height }: Pane): RowRange {
  if (count === 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const within = (row: number) => Math.min(count, Math.max(0, row))
  return {
    first: within(Math.floor((scroll - top) / rowHeight) - OVERSCAN),
    end: within(Math.ceil((scroll + height - top) / rowHeight) + OVERSCAN),
  }
}

/**
 * Follows which rows are near the window. Rows of one height need no more than this; a general virtualiser would add 10 kB of gzip to
 * what a visitor downloads.
 */
function useVisibleRows({ count, rowHeight, top }: Rows): RowRange {
  const [known, setKnown] = useState<Pane>()
  const shown = count === 0 ? noRows : visibleRange({ count, rowHeight, top }, known ?? readPane())
  useEffect(() => {
    if (count === 0) return undefined
    const rangeIn = (pane: Pane) => visibleRange({ count, rowHeight, top }, pane)
    const follow = () => {
      const now = readPane()
      setKnown((before) => (before && isSame(rangeIn(before), rangeIn(now)) ? before : now))
    }
    follow()
    window.addEventListener('scroll', follow, { passive: true })
    window.addEventListener('resize', follow)
    return () => {
      window.removeEventListener('scroll', follow)
      window.removeEventListener('resize', follow)
    }
  }, [count, rowHeight, top])
  return shown
}

const noRows: RowRange = { first: 0, end: 0 }

function isSame(one: RowRange, other: RowRange): boolean {
  return one.first === other.first && one.end === other.end
}

/** Not asked at each render: the answer can make the browser lay out the page first. */
function readPane(): Pane {
  return { scroll: window.scrollY, height: window.innerHeight }
}

/** How the market's cards are laid out: what `.board` in layout.css does without a script. All lengths in pixels. */
interface Board {
  columns: number
  cardWidth: number
  cardHeight: number
  gap: number
}

// In rem, so that cards grow with their text.
const MIN_CARD_WIDTH = 15.25
const CARD_HEIGHT = 22.5
const GAP = 1.25
const COMPACT_BELOW = 33.75
const COMPACT_CARD_HEIGHT = 10
const COMPACT_GAP = 0.75

/** Lays out the board. `width` and `rem`, the root font size, are in pixels. */
export function boardFor(width: number, rem: number): Board {
  if (width < COMPACT_BELOW * rem) {
    return { columns: 1, cardWidth: width, cardHeight: COMPACT_CARD_HEIGHT * rem, gap: COMPACT_GAP * rem }
  }
  const gap = GAP * rem
  const columns = Math.max(1, Math.floor((width + gap) / (MIN_CARD_WIDTH * rem + gap)))
  return { columns, cardWidth: (width - gap * (columns - 1)) / columns, cardHeight: CARD_HEIGHT * rem, gap }
}
