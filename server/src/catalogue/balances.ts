import { balanceKey, type Balances, type TokenType } from '@juicebar/contract/catalogue'

import { type Catalogue } from './catalogue.ts'

export interface TokenAmount {
  tokenType: TokenType
  amount: number
}

/** Amounts as replies carry them: of every item in the catalogue, and of any other owned items, which only newer servers know. */
export function balancesOf({ items }: Pick<Catalogue, 'items'>, amounts: readonly TokenAmount[]): Balances {
  const balances: Balances = Object.fromEntries(items.map(({ code }) => [balanceKey(code), 0]))
  for (const { tokenType, amount } of amounts) if (amount > 0) balances[balanceKey(tokenType)] = amount
  return balances
}
