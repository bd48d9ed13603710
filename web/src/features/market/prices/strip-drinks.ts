import { type TokenType } from '@juicebar/contract/catalogue'

import { type Drink } from '../../../figures/drinks.ts'
import { type SummaryItem } from '../../../figures/figure-queries.ts'

/** What the market is searched for. */
export interface StripFilter {
  search: string
  tokenType: TokenType | undefined
}

/**
 * The drinks whose prices are shown above the cards: the chosen one, those whose names match the search, or all. If there is no room for
 * all of them, the most traded of the last day.
 *
 * @param most how many there is room for
 */
export function stripDrinks(
  drinks: readonly Drink[],
  { search, tokenType }: StripFilter,
  summary: readonly SummaryItem[],
  most: number,
): readonly Drink[] {
  if (tokenType) return drinks.filter(({ type }) => type === tokenType)
  const term = search.trim().toLowerCase()
  const named = drinks.filter(({ name }) => name.toLowerCase().includes(term))
  const wanted = named.length > 0 ? named : drinks
  if (wanted.length <= most) return wanted
  const figures = new Map(summary.map((item) => [item.tokenType, item]))
  const traded = ({ type }: Drink) => figures.get(type)?.volume24h ?? 0
  const offered = ({ type }: Drink) => figures.get(type)?.amount ?? 0
  return wanted.toSorted((a, b) => traded(b) - traded(a) || offered(b) - offered(a)).slice(0, most)
}
