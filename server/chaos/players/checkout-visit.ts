import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, wholeBetween } from '../seeded-random.ts'
import { type OpenCheckout } from '../studio/shop.ts'
import { CoSignedAttempt, pickPlan } from './co-signed-attempt.ts'
import { type ListingPoller, type MarketListing, shownPrice } from './listing-poller.ts'
import { type Player, type Run } from './player.ts'

/** Probabilities: per checkout. */
const PARTS = 0.5
const TWO_TABS = 0.2
const GAME_ENDS = 0.15
/** In each tab, also of a player who has paid: whoever hears that the checkout is over has no reason to ask again. */
const TRIES = 4
const OVER: ReadonlySet<string | undefined> = new Set(['CHECKOUT_PAID', 'CHECKOUT_EXPIRED'])
const AGAIN_MILLIS = { low: 500, high: 2_000 }

/** A player whom the game sends to pay, at times in two tabs, and while the game ends what it has asked for. */
export async function payCheckout(run: Run, buyer: Player, market: ListingPoller, path: Path): Promise<void> {
  const listing = market.pick(run.seed, [...path, 'listing'])
  if (!listing) return
  run.journal.attempts += 1
  const takesPart = listing.divisible && listing.amount > 1 && happens(run.seed, [...path, 'part'], PARTS)
  const amount = takesPart ? wholeBetween(run.seed, [...path, 'amount'], 1, listing.amount - 1) : listing.amount
  const { tokenType, seller } = listing
  const wish = { tokenType, amount, shown: shownPrice(listing, amount), player: buyer.wallet.address, stranger: seller }
  const checkout = await run.shop.sell(path, wish)
  if (!checkout) return
  const tabs = happens(run.seed, [...path, 'two tabs'], TWO_TABS) ? [1, 2] : [1]
  const visits = tabs.map((tab) => payInTab(run, buyer, market, [...path, 'tab', tab], { checkout, tokenType, amount }))
  if (happens(run.seed, [...path, 'game ends'], GAME_ENDS)) visits.push(run.shop.end(path, checkout))
  // A client that crashes in one tab leaves the other open.
  const crashed = (await Promise.allSettled(visits)).find((visit) => visit.status === 'rejected')
  if (crashed) throw crashed.reason
}

interface Sold {
  checkout: OpenCheckout
  tokenType: string
  amount: number
}

async function payInTab(run: Run, buyer: Player, market: ListingPoller, path: Path, { checkout, tokenType, amount }: Sold): Promise<void> {
  const suits = (listing: MarketListing) =>
    listing.tokenType === tokenType && (listing.amount === amount || (listing.divisible && listing.amount > amount))
  for (let n = 1; n <= TRIES && !run.closing.aborted; n++) {
    const at = [...path, 'try', n]
    const listing = market.pick(run.seed, at, suits)
    if (!listing) return
    const attempt = new CoSignedAttempt(run, buyer, at, checkout)
    const offer = await attempt.offer([{ listingId: listing._id, amount, shown: shownPrice(listing, amount) }])
    if (offer) await attempt.carryOut(pickPlan(run.seed, at), offer)
    if (OVER.has(attempt.refusal)) return
    await delay(between(run.seed, [...at, 'again'], AGAIN_MILLIS.low, AGAIN_MILLIS.high))
  }
}
