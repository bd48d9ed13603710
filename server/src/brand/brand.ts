import { HOUSE_NAME } from '@juicebar/contract/market-settings'
import { type StyleSheet, styleSheetOf } from '../http/page-head.ts'
import { type Picture } from '../pictures/picture.ts'
import {
  type Theme,
  type ChosenColors,
  completePalette,
  hueOf,
  type Palette,
  toHex,
  type BrandColor,
  contrast,
  CONTROL_CONTRAST,
  signalColors,
  TEXT_CONTRAST,
} from '../pictures/palette.ts'
import { ConfigError } from '../settings/setting-reader.ts'

/** The look and wording of a studio's market. Undefined or null values keep Juicebar's own. */
export interface Brand {
  /** The market's name. */
  title: string | undefined
  /** For search results and link previews. */
  description: string | undefined
  /** The first text that visitors read. */
  welcome: string | null
  /** The studio's own words at the bottom. */
  footer: string | null
  logo: Picture | undefined
  /** Colours as CSS custom properties. */
  styleSheet: StyleSheet | undefined
  /** What the browser colours around the page, as `#rrggbb`. */
  themeColors: Record<Theme, string>
  /** The colours of the page and its cards. */
  surfaces: Record<Theme, readonly string[]>
}

export const houseBrand: Brand = {
  title: undefined,
  description: undefined,
  welcome: null,
  footer: null,
  logo: undefined,
  styleSheet: undefined,
  themeColors: themeColorsOf({}),
  surfaces: surfacesOf({}),
}

/** The names of the web app's custom properties (web/src/styles/theme.css). */
const properties: Record<keyof Palette, string> = {
  page: '--color-page',
  card: '--color-card',
  raised: '--color-raised',
  well: '--color-well',
  field: '--color-field',
  line: '--color-line',
  edge: '--color-edge',
  text: '--color-text',
  dim: '--color-dim',
  action: '--color-action',
  onAction: '--color-on-action',
}

export type ThemeChoices = Partial<Record<Theme, ChosenColors>>

/** The chosen colours, and what follows from them, as a style sheet; undefined if none is chosen. */
export function createStyleSheet({ light = {}, dark = {} }: ThemeChoices): StyleSheet | undefined {
  if (Object.keys(light).length + Object.keys(dark).length === 0) return undefined
  const [day, night] = [completePalette('light', light), completePalette('dark', dark)]
  const names = Object.keys(properties) as (keyof Palette)[]
  const lines = names.map((name) => `  ${properties[name]}: light-dark(${toHex(day[name])}, ${toHex(night[name])});`)
  const hue = dark.page === undefined ? undefined : hueOf(dark.page)
  if (hue !== undefined) lines.push(`  --evening-hue: ${Math.round(hue)};`)
  return styleSheetOf('colors', `:root {\n${lines.join('\n')}\n}\n`)
}

/** The colour of the page in each theme, as `#rrggbb`. */
export function themeColorsOf({ light = {}, dark = {} }: ThemeChoices): Record<Theme, string> {
  return { light: toHex(completePalette('light', light).page), dark: toHex(completePalette('dark', dark).page) }
}

/** The colours of the page and its cards in each theme. */
export function surfacesOf({ light = {}, dark = {} }: ThemeChoices): Record<Theme, readonly string[]> {
  const ofTheme = (theme: Theme, chosen: ChosenColors) => {
    const { page, card, raised } = completePalette(theme, chosen)
    return [page, card, raised]
  }
  return { light: ofTheme('light', light), dark: ofTheme('dark', dark) }
}

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

/**
 * The market's name: the brand's title, or PRODUCT_NAME if it has none.
 *
 * @throws ConfigError if they are two different names
 */
export function marketName(productName: string, { title }: Brand): string {
  if (title === undefined || title === productName) return productName
  if (productName === HOUSE_NAME) return title
  throw new ConfigError([
    `PRODUCT_NAME is ${JSON.stringify(productName)}, but the title in the brand.json of BRAND_DIR is ${JSON.stringify(title)}. ` +
      'A market has one name: leave PRODUCT_NAME out.',
  ])
}
