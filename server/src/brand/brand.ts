import { type StyleSheet } from '../http/page/style-sheet.ts'
import { type Picture } from '../pictures/picture.ts'
import { type Theme } from './palette.ts'
import { surfacesOf, themeColorsOf } from './style-sheet.ts'

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
