/** Where the cards of the market stand. All lengths in pixels. */
export interface Board {
  columns: number
  cardWidth: number
  cardHeight: number
  gap: number
  /** Cards lie on their side: picture left, words right. */
  compact: boolean
}

const LEAST_CARD_WIDTH = 244
const COMPACT_BELOW = 540
const CARD_HEIGHT = 400
const COMPACT_CARD_HEIGHT = 172

/** Lays out the board for a width. */
export function boardFor(width: number): Board {
  if (width < COMPACT_BELOW) return { columns: 1, cardWidth: width, cardHeight: COMPACT_CARD_HEIGHT, gap: 12, compact: true }
  const gap = 20
  const columns = Math.max(1, Math.floor((width + gap) / (LEAST_CARD_WIDTH + gap)))
  return { columns, cardWidth: (width - gap * (columns - 1)) / columns, cardHeight: CARD_HEIGHT, gap, compact: false }
}
