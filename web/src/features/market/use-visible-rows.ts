import { useEffect, useState } from 'react'

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
export function useVisibleRows({ count, rowHeight, top }: Rows): RowRange {
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
