/** How the market's cards are laid out: what `.board` in layout.css does without a script. All lengths in pixels. */
export interface Board {
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
