import { balanceKey, type Balances, type TokenType } from '@juicebar/contract/catalogue'

import { catalogue } from '../../catalogue/catalogue.ts'

/** An item that a wallet has, and how many of it. */
export interface OwnedItem {
  tokenType: TokenType
  balance: number
}

/**
 * What a wallet has, in the order of the catalogue.
 *
 * @returns `unknownKinds`: how many other kinds of items it has that only a newer page knows
 */
export function ownedItems(balances: Balances): { owned: OwnedItem[]; unknownKinds: number } {
  const all = catalogue().items.map(({ code }) => ({ tokenType: code, balance: balances[balanceKey(code)] ?? 0 }))
  const owned = all.filter(({ balance }) => balance > 0)
  const kinds = Object.values(balances).filter((balance) => balance > 0).length
  return { owned, unknownKinds: kinds - owned.length }
}

/** The items whose names contain the search text. */
export function namedLike(items: readonly OwnedItem[], search: string): OwnedItem[] {
  const term = search.trim().toLowerCase()
  return items.filter(({ tokenType }) => catalogue().nameOf(tokenType).toLowerCase().includes(term))
}
