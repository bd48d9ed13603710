import { type CatalogueItem, type TokenType } from '@juicebar/contract/catalogue'

import { marketSettings } from '../settings/market-settings.ts'
import unknownPicture from './unknown-item.svg'

/** More than these are searched rather than shown side by side. */
export const MOST_SIDE_BY_SIDE = 8

/** The items traded here, as the page knows them. */
interface Catalogue {
  /** In the order of the studio. */
  items: readonly CatalogueItem[]
  /** An item by its code. An item that only a newer server knows uses its code as the name, and a generic picture. */
  item: (code: TokenType) => Pick<CatalogueItem, 'code' | 'name' | 'image'>
  nameOf: (code: TokenType) => string
}

let known: Catalogue | undefined

/** The items traded here, read once from the HTML. */
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

/**
 * Adapts one of Juicebar's own texts about drinks to this market, because a studio's own items may not be drinks. The text must not contain
 * names.
 */
export function inMarketWords(text: string): string {
  if (!marketSettings().ownItems) return text
  return text
    .replaceAll(/\ba drink/g, 'an item')
    .replaceAll('drink', 'item')
    .replaceAll('Drink', 'Item')
}
