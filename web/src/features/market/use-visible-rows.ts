import { useCallback, useSyncExternalStore } from 'react'

/** Rows to render beyond the window's edges, so that scrolling never shows a gap. */
const OVERSCAN = 3

/** Which of `count` rows of one height are near a window that is `height` high and scrolled to `scroll`; the first row begins at `top`. */
export function visibleRange(
  count: number,
  rowHeight: number,
  top: number,
  scroll: number,
  height: number,
): { first: number; end: number } {
  if (count === 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const within = (row: number) => Math.min(count, Math.max(0, row))
  return {
    first: within(Math.floor((scroll - top) / rowHeight) - OVERSCAN),
    end: within(Math.ceil((scroll + height - top) / rowHeight) + OVERSCAN),
  }
}

/**
 * Follows the rows near the window. Rows of one height need no more than this; a general virtualiser costs a visitor 10 kB of gzip
 * before the market shows.
 */
export function useVisibleRows(count: number, rowHeight: number, top: number): { first: number; end: number } {
  const getSnapshot = useCallback(() => {
    const { first, end } = visibleRange(count, rowHeight, top, window.scrollY, window.innerHeight)
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
