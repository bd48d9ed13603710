import { type CatalogueItem } from '@juicebar/contract/catalogue'

import { shadeAgainst, type Theme } from '../brand/palette.ts'

/** The surfaces behind an item's colour, by theme. */
export type Surfaces = Record<Theme, readonly string[]>

/** As the file has it: for both themes, or for each. */
export type ChosenColor = string | Record<Theme, string>

/** An item's colour for each theme, as `#rrggbb`: the chosen one, or its nearest shade that is distinct from the surfaces behind it. */
export function itemColors(chosen: ChosenColor, surfaces: Surfaces): CatalogueItem['color'] {
  const { light, dark } = typeof chosen === 'string' ? { light: chosen, dark: chosen } : chosen
  return { light: shadeAgainst(light, surfaces.light), dark: shadeAgainst(dark, surfaces.dark) }
}
