import { type Drink } from '../../figures/drinks.ts'
import { type SummaryItem } from '../../figures/figure-queries.ts'

interface Owned {
  tokenType: Drink['type']
  balance: number
}

/** What drinks would bring if each were sold for what the cheapest for sale costs, in SOL. */
export interface Estimate {
  /** Undefined if nothing of it is for sale, so that there is nothing to go by. */
  total: number | undefined
  /** Drinks of which none is for sale: they are not in the total. */
  unpriced: readonly Drink['type'][]
}

/** Estimates what drinks are worth. More than a guess it cannot be: selling many at the floor lowers it. */
export function estimate(owned: readonly Owned[], summary: readonly SummaryItem[]): Estimate {
  const worths = owned.map((drink) => ({ tokenType: drink.tokenType, worth: worthOf(drink, summary) }))
  const priced = worths.flatMap(({ worth }) => (worth === undefined ? [] : [worth]))
  return {
    total: priced.length > 0 ? priced.reduce((sum, worth) => sum + worth, 0) : undefined,
    unpriced: worths.flatMap(({ tokenType, worth }) => (worth === undefined ? [tokenType] : [])),
  }
}

/** What so many of one drink cost at its floor, in SOL; undefined if none is for sale. */
export function worthOf({ tokenType, balance }: Owned, summary: readonly SummaryItem[]): number | undefined {
  const floor = summary.find((item) => item.tokenType === tokenType)?.floor
  return typeof floor === 'number' ? floor * balance : undefined
}
