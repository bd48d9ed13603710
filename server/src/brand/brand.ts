import { type StyleSheet } from '../http/page/style-sheet.ts'
import { type Picture } from '../pictures/picture.ts'
import { type Theme } from './palette.ts'
import { surfacesOf, themeColorsOf } from './style-sheet.ts'

/** How a studio's market looks and what it says. What is undefined or null is as Juicebar has it. */
export interface Brand {
  /** The market's name. */
  title: string | undefined
  /** For search results and link previews. */
  description: string | undefined
  /** What visitors read first. */
  welcome: string | null
  /** The studio's own words at the bottom. */
  footer: string | null
  logo: Picture | undefined
  /** Colours as CSS custom properties. */
  styleSheet: StyleSheet | undefined
  /** What the browser colours around the page, as `#rrggbb`. */
  themeColors: Record<Theme, string>
  /** What the page and its cards are made of. */
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
