import { roundToLamport } from '@juicebar/contract/money'

import { roundStep } from '../ui/chart/price-scale.ts'
import { type Level } from './figure-queries.ts'

/** How much can be bought up to a price. */
export interface DepthStep {
  /** In SOL. */
  price: number
  /** Whether `price` itself is included: it is a price of a listing rather than a round one. */
  inclusive: boolean
  /** How many drinks, including the cheaper ones. */
  amount: number
}

/**
 * The steps reach up to the price below which this share of the supply is, or to this many times the floor, because a single expensive
 * listing says nothing.
 */
const SHARE_SHOWN = 0.9
const MOST_FLOORS = 5

/**
 * Sums up the supply in at most `most` readable price steps: the prices themselves if they are few, otherwise round ones. Each says how
 * much is for sale up to it.
 */
export function depthSteps(levels: readonly Level[], most: number): DepthStep[] {
  const [cheapest] = levels
  if (!cheapest) return []
  if (levels.length <= most) return sums(levels).map(({ price, amount }) => ({ price, amount, inclusive: true }))
  const summed = sums(levels)
  const step = roundStep((highestShown(summed, cheapest.unitPrice) - cheapest.unitPrice) / (most - 1))
  const first = Math.floor(cheapest.unitPrice / step + 1e-9) + 1
  const steps = Array.from({ length: most }, (_, index) => {
    const price = Number(((first + index) * step).toPrecision(12))
    return { price, inclusive: false, amount: summed.findLast((sum) => sum.price < price)?.amount ?? 0 }
  })
  return steps.filter(({ amount }, index) => amount > (steps[index - 1]?.amount ?? 0))
}

interface Sum {
  price: number
  amount: number
}

function sums(levels: readonly Level[]): Sum[] {
  let amount = 0
  return levels.map((level) => ({ price: level.unitPrice, amount: (amount += level.amount) }))
}

function highestShown(summed: readonly Sum[], floor: number): number {
  const enough = (summed.at(-1)?.amount ?? 0) * SHARE_SHOWN
  const price = summed.find(({ amount }) => amount >= enough)?.price ?? floor
  // If everything has nearly the same price, the prices still get separate steps.
  return Math.max(Math.min(price, floor * MOST_FLOORS), floor * 1.001, floor + 1e-9)
}

/** How many drinks cost less than a unit price. */
export function cheaperThan(levels: readonly Level[], unitPrice: number): number {
  const price = roundToLamport(unitPrice)
  return levels.reduce((sum, level) => (level.unitPrice < price ? sum + level.amount : sum), 0)
}
