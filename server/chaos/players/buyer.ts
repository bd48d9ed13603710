import { setTimeout as delay } from 'node:timers/promises'

import { between, type Path, pickWeighted } from '../seeded-random.ts'
import { tally } from '../tally.ts'
import { type ListingPoller } from './listing-poller.ts'
import { type Player, type Run } from './player.ts'
import { ClientCrash, type Plan, plans, PurchaseAttempt, type Style, styles } from './purchase-attempt.ts'

const IDLE_MILLIS = { low: 20, high: 400 }

/** One buyer: buys one listing after another while `nextTurn` allows it, sometimes wrongly, sometimes crashing on the way. */
export async function runBuyer(run: Run, buyer: Player, market: ListingPoller, nextTurn: () => Promise<boolean>): Promise<void> {
  for (let n = 1; await nextTurn(); n++) {
    const path = ['buyer', buyer.name, n]
    try {
      await buyOne(run, buyer, market, path)
    } catch (error) {
      if (!(error instanceof ClientCrash)) throw error
      tally(run.journal.crashes, error.message)
    }
    await delay(between(run.seed, [...path, 'idle'], IDLE_MILLIS.low, IDLE_MILLIS.high))
  }
}

async function buyOne(run: Run, buyer: Player, market: ListingPoller, path: Path): Promise<void> {
  const listing = market.pick(run.seed, [...path, 'listing'])
  if (!listing) return
  const style = pickWeighted<Style>(run.seed, [...path, 'style'], styles) ?? 'unreferenced'
  run.journal.attempts += 1
  const attempt = new PurchaseAttempt(run, buyer, style, path)
  const details = await attempt.hold(listing._id)
  if (details) await attempt.carryOut(pickWeighted<Plan>(run.seed, [...path, 'plan'], plans[style]) ?? 'pay', details)
}
