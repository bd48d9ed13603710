/** What the API calls an item, such as `APPLE_JUICE`. Which there are is decided by the catalogue that the server has read. */
export type TokenType = string

/** Of a wallet: how many it has of each item of the catalogue, by `balanceKey`. */
export type Balances = Record<string, number>

/** An item that players trade, as the page gets it. */
export interface CatalogueItem {
  code: TokenType
  /** What players call it. */
  name: string
  /** The path of its picture on this server. */
  image: string
  /** As `#rrggbb`, by theme: it can be told apart from what the page and its cards are made of. */
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
