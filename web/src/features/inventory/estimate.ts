import { type Drink } from '../../figures/drinks.ts'
import { type SummaryItem } from '../../figures/figure-queries.ts'

interface Owned {
  tokenType: Drink['type']
  balance: number
}

/** The value of drinks if each were sold at the floor price, in SOL. */
export interface Estimate {
  /** Undefined if none is for sale, so that there is no floor price. */
  total: number | undefined
  /** Drinks with none for sale, which are not in the total. */
  unpriced: readonly Drink['type'][]
}

/** Estimates the value of drinks. It is only an estimate: selling many at the floor price lowers it. */
export function estimate(owned: readonly Owned[], summary: readonly SummaryItem[]): Estimate {
  const worths = owned.map((drink) => ({ tokenType: drink.tokenType, worth: worthOf(drink, summary) }))
  const priced = worths.flatMap(({ worth }) => (worth === undefined ? [] : [worth]))
  return {
    total: priced.length > 0 ? priced.reduce((sum, worth) => sum + worth, 0) : undefined,
    unpriced: worths.flatMap(({ tokenType, worth }) => (worth === undefined ? [tokenType] : [])),
  }
}

/** The cost of this many of one drink at its floor price, in SOL; undefined if none is for sale. */
export function worthOf({ tokenType, balance }: Owned, summary: readonly SummaryItem[]): number | undefined {
  const floor = summary.find((item) => item.tokenType === tokenType)?.floor
  return typeof floor === 'number' ? floor * balance : undefined
}
