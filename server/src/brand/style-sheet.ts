import { type StyleSheet, styleSheetOf } from '../http/page/style-sheet.ts'
import { type ChosenColors, completePalette, hueOf, type Palette, type Theme, toHex } from './palette.ts'

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
