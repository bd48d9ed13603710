import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickWeighted, wholeBetween } from '../seeded-random.ts'
import { tally } from '../tally.ts'
import { ClientCrash, type WantedItem } from './attempt.ts'
import { CoSignedAttempt, type CoSignedPlan, pickPlan } from './co-signed-attempt.ts'
import { payCheckout } from './checkout-visit.ts'
import { type ListingPoller, shownPrice } from './listing-poller.ts'
import { type Player, type Run } from './player.ts'
import { HoldAttempt, mayBuySeveral, type Plan, plans, type Style } from './hold-attempt.ts'

/** How buyers pay: mostly with payments that only the market can send, some of them for what a game sells. */
const ways = { coSigned: 0.42, checkout: 0.2, server: 0.18, wallet: 0.12, unreferenced: 0.08 }
/** The probability that an attacker drains its wallet. */
const DRAINS = 0.6
/** Probabilities: per order that may have several items, and per item of a divisible listing. */
const BASKETS = 0.7
const PARTS = 0.5
const MOST_ITEMS = 4
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

/** Of a divisible listing every other item takes a part. */
function pickItems(run: Run, market: ListingPoller, path: Path, { severalAllowed }: { severalAllowed: boolean }): WantedItem[] {
  const hasSeveral = severalAllowed && happens(run.seed, [...path, 'basket'], BASKETS)
  const count = hasSeveral ? wholeBetween(run.seed, [...path, 'items'], 2, MOST_ITEMS) : 1
  const items = new Map<string, WantedItem>()
  for (let n = 0; n < count; n++) {
    const at = [...path, 'listing', n]
    const listing = market.pick(run.seed, at)
    if (!listing) continue
    const takesPart = listing.divisible && listing.amount > 1 && happens(run.seed, [...at, 'part'], PARTS)
    const amount = takesPart ? wholeBetween(run.seed, [...at, 'amount'], 1, listing.amount - 1) : undefined
    items.set(listing._id, { listingId: listing._id, amount, shown: shownPrice(listing, amount) })
  }
  return [...items.values()]
}

async function buyOne(run: Run, buyer: Player, market: ListingPoller, path: Path): Promise<void> {
  const way = buyer.vault ? 'coSigned' : pickWeighted(run.seed, [...path, 'way'], ways)
  if (way === 'checkout') return payCheckout(run, buyer, market, path)
  const style: Style | undefined = way === 'coSigned' ? undefined : (way ?? 'unreferenced')
  const items = pickItems(run, market, path, { severalAllowed: style === undefined || mayBuySeveral(style) })
  if (items.length === 0) return
  run.journal.attempts += 1
  if (style !== undefined) return buyWithHold(run, buyer, { style, path, items })
  const attempt = new CoSignedAttempt(run, buyer, path)
  const offer = await attempt.offer(items)
  if (offer) await attempt.carryOut(planOf(run, buyer, path), offer)
}

function planOf(run: Run, { vault }: Player, path: Path): CoSignedPlan {
  return vault && happens(run.seed, [...path, 'drains'], DRAINS) ? 'drain' : pickPlan(run.seed, path)
}

interface Wanted {
  style: Style
  path: Path
  items: readonly WantedItem[]
}

async function buyWithHold(run: Run, buyer: Player, { style, path, items }: Wanted): Promise<void> {
  const attempt = new HoldAttempt(run, buyer, style, path)
  const details = await attempt.hold(items)
  if (details) await attempt.carryOut(pickWeighted<Plan>(run.seed, [...path, 'plan'], plans[style]) ?? 'pay', details)
}
