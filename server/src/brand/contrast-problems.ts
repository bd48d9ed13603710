import {
  type BrandColor,
  type ChosenColors,
  completePalette,
  contrast,
  CONTROL_CONTRAST,
  signalColors,
  TEXT_CONTRAST,
  type Theme,
  toHex,
} from './palette.ts'

/** Two colours that are not distinct enough. */
export interface ContrastProblem {
  /** The one of them that the brand has chosen; the first, if it has both. */
  field: BrandColor
  /** The problem, as a sentence. */
  problem: string
}

interface Pair {
  front: BrandColor | 'warn' | 'good'
  back: BrandColor
  least: number
}

const texts = ['text', 'dim', 'warn', 'good'] as const
const surfaces = ['page', 'card'] as const

const pairs: readonly Pair[] = [
  ...texts.flatMap((front) => surfaces.map((back) => ({ front, back, least: TEXT_CONTRAST }))),
  { front: 'onAction', back: 'action', least: TEXT_CONTRAST },
  ...surfaces.map((back) => ({ front: 'action' as const, back, least: CONTROL_CONTRAST })),
]

const houseNames = { warn: 'the market’s colour for warnings', good: 'the market’s colour for what went well' }

/**
 * Pairs of a theme's colours with too little contrast for WCAG. Pairs of which the brand has chosen neither are known to be good. The
 * market's own warnings are readable only on light pages in light themes, and on dark pages in dark themes.
 */
export function contrastProblems(theme: Theme, chosen: ChosenColors): ContrastProblem[] {
  const colors = { ...completePalette(theme, chosen), ...signalColors[theme] }
  const isChosen = (name: Pair['front']): name is BrandColor => name in chosen
  // A card colour that is not chosen is derived from the page.
  const originOf = (back: BrandColor) => (back === 'card' && !isChosen(back) ? 'page' : back)
  const describe = (name: Pair['front']) =>
    name === 'warn' || name === 'good'
      ? `${houseNames[name]} (${toHex(colors[name])})`
      : `"colors.${theme}.${name}" (${toHex(colors[name])})`

  const told = new Set<string>()
  return pairs.flatMap(({ front, back, least }) => {
    const field = [front, originOf(back)].find(isChosen)
    const ratio = contrast(colors[front], colors[back])
    // One sentence for each foreground colour is enough to fix it, and a derived dim text is as good as the text.
    if (field === undefined || ratio >= least || told.has(front) || (front === 'dim' && field !== 'dim')) return []
    told.add(front)
    return [
      {
        field,
        problem: `${describe(front)} on ${describe(back)} has a contrast of ${formatRatio(ratio)} to 1. It must be at least ${least}.`,
      },
    ]
  })
}

/** Two digits, cut off: a ratio that is too small never looks like enough. */
function formatRatio(ratio: number): string {
  return (Math.floor(ratio * 100) / 100).toFixed(2)
}
