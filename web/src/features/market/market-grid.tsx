import { type Listing } from '@juicebar/contract/schemas'
import { useEffect } from 'react'

import { type Board } from './board.ts'
import { ListingCard } from './listing-card.tsx'
import { type Measured, useBoard } from './use-board.ts'
import { useVisibleRows } from './use-visible-rows.ts'

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
