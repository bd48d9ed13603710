import { useCallback, useSyncExternalStore } from 'react'

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

/** Which rows are near a window of this height, scrolled this far. */
export function visibleRange({ count, rowHeight, top }: Rows, { scroll, height }: { scroll: number; height: number }): RowRange {
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
  const getSnapshot = useCallback(() => {
    const { first, end } = visibleRange({ count, rowHeight, top }, { scroll: window.scrollY, height: window.innerHeight })
    return `${first} ${end}`
  }, [count, rowHeight, top])
  const [first = 0, end = 0] = useSyncExternalStore(subscribe, getSnapshot).split(' ').map(Number)
  return { first, end }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  window.addEventListener('resize', listener)
  return () => {
    window.removeEventListener('scroll', listener)
    window.removeEventListener('resize', listener)
  }
}
