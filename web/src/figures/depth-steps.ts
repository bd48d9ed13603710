import { lamportsToSol, nearestLamports } from '@juicebar/contract/money'

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
const MOST_FLOORS = 5n

/**
 * Sums up the supply in at most `most` readable price steps: the prices themselves if they are few, otherwise round ones. Each says how
 * much is for sale up to it.
 */
export function depthSteps(levels: readonly Level[], most: number): DepthStep[] {
  const [cheapest] = levels
  if (!cheapest) return []
  const summed = sums(levels)
  if (levels.length <= most) return summed.map(({ lamports, amount }) => ({ price: lamportsToSol(lamports), amount, inclusive: true }))
  const floor = BigInt(cheapest.lamports)
  const step = BigInt(nearestLamports(roundStep(lamportsToSol(highestShown(summed, floor) - floor) / (most - 1))))
  const first = floor / step + 1n
  const steps = Array.from({ length: most }, (_, index) => {
    const lamports = (first + BigInt(index)) * step
    const amount = summed.findLast((sum) => sum.lamports < lamports)?.amount ?? 0
    return { price: lamportsToSol(lamports), inclusive: false, amount }
  })
  return steps.filter(({ amount }, index) => amount > (steps[index - 1]?.amount ?? 0))
}

interface Sum {
  lamports: bigint
  amount: number
}

function sums(levels: readonly Level[]): Sum[] {
  let amount = 0
  return levels.map((level) => ({ lamports: BigInt(level.lamports), amount: (amount += level.amount) }))
}

function highestShown(summed: readonly Sum[], floor: bigint): bigint {
  const enough = (summed.at(-1)?.amount ?? 0) * SHARE_SHOWN
  const most = floor * MOST_FLOORS
  const found = summed.find(({ amount }) => amount >= enough)?.lamports ?? floor
  const highest = found < most ? found : most
  // If everything has nearly the same price, the prices still get separate steps.
  const least = floor + floor / 1_000n + 1n
  return highest > least ? highest : least
}

/** How many drinks cost less than a unit price in SOL. */
export function cheaperThan(levels: readonly Level[], unitPrice: number): number {
  const lamports = BigInt(nearestLamports(unitPrice))
  return levels.reduce((sum, level) => (BigInt(level.lamports) < lamports ? sum + level.amount : sum), 0)
}
