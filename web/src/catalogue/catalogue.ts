import { type CatalogueItem, type TokenType } from '@juicebar/contract/catalogue'

import { marketSettings } from '../settings/market-settings.ts'
import unknownPicture from './unknown-item.svg'

/** More than these are searched rather than shown side by side. */
export const MOST_SIDE_BY_SIDE = 8

/** What is traded here, as the page knows it. */
interface Catalogue {
  /** In the order of the studio. */
  items: readonly CatalogueItem[]
  /** An item by its code. One that only a newer server knows has its code for a name, and a picture without a subject. */
  item: (code: TokenType) => Pick<CatalogueItem, 'code' | 'name' | 'image'>
  nameOf: (code: TokenType) => string
}

let known: Catalogue | undefined

/** What is traded here, read once from what the server has written into the HTML. */
export function catalogue(): Catalogue {
  known ??= readCatalogue()
  return known
}

function readCatalogue(): Catalogue {
  const { catalogue: items } = marketSettings()
  const byCode = new Map(items.map((item) => [item.code, item]))
  const item = (code: TokenType) => byCode.get(code) ?? { code, name: code, image: unknownPicture }
  return { items, item, nameOf: (code) => item(code).name }
}
