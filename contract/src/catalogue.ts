/** An item's name in the API, such as `APPLE_JUICE`. The catalogue that the server has read decides which exist. */
export type TokenType = string

/** Of a wallet: how many it has of each item of the catalogue, by `balanceKey`. */
export type Balances = Record<string, number>

/** An item that players trade, in the form sent to the page. */
export interface CatalogueItem {
  code: TokenType
  /** Its name for players. */
  name: string
  /** The path of its picture on this server. */
  image: string
  /** As `#rrggbb`, by theme: distinct from the colours of the page and its cards. */
  color: { light: string; dark: string }
}

/** Of an item's code. */
export const CODE_PATTERN = '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$'
/** In characters. */
export const MAX_CODE = 40
export const MAX_ITEM_NAME = 40
/** How many items a catalogue may have. */
export const MAX_CATALOGUE = 200

/** The field of `Balances` for an item: its code in camelCase, so that `APPLE_JUICE` is in `appleJuice`. */
export function balanceKey(code: TokenType): string {
  return code.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
