import { setTimeout as delay } from 'node:timers/promises'

import { tokens } from '../catalogue.ts'
import { between, happens, type Path, pickOne, wholeBetween } from '../seeded-random.ts'
import { tally } from '../tally.ts'
import { type Player, type Run } from './player.ts'
import { signPrepared } from './wallet.ts'

export interface SellerPace {
  /** How many listings a seller keeps on the market. */
  listings: number
  /** How long it waits before it looks at them again, at least and at most. */
  pauseMillis: { low: number; high: number }
}

/** Where nothing else is said. */
export const SELLER_PACE: SellerPace = { listings: 6, pauseMillis: { low: 300, high: 900 } }

/** How many of each token a seller starts with. */
export const STOCK = 100_000

/** Probabilities: per round the first three, per case the fourth, per refund the last two. */
const REMOVES = 0.08
const REPRICES = 0.25
const CHECKS_CASES = 0.15
const REFUNDS = 0.5
const CRASHES = 0.15
const CO_SIGNED_REFUNDS = 0.5
/** Per listing. */
const DIVISIBLE = 0.6
/** Per change of a price. */
const EVERYWHERE = 0.2
const ASKS_AGAIN = 0.3
/** Higher than any that sellers ask for. */
const OTHER_PRICE = 1

interface SellerCase {
  caseId: string
  purchaseId: string
  seller: string | null
  refundable: boolean
}

/** One seller: keeps so many listings on the market, removes one or changes a price now and then, and refunds some cases. */
export async function runSeller(run: Run, seller: Player, { listings: target, pauseMillis }: SellerPace): Promise<void> {
  for (let n = 1; !run.closing.aborted; n++) {
    const path = ['seller', seller.name, n]
    const listings = await activeListings(seller)
    if (listings.length < target) await list(run, seller, path, target - listings.length)
    else if (happens(run.seed, [...path, 'removes'], REMOVES)) await remove(run, seller, pickOne(run.seed, [...path, 'listing'], listings))
    if (happens(run.seed, [...path, 'reprices'], REPRICES)) await reprice(run, seller, path, listings)
    if (happens(run.seed, [...path, 'cases'], CHECKS_CASES)) await refundCases(run, seller, path)
    await delay(between(run.seed, [...path, 'pause'], pauseMillis.low, pauseMillis.high))
  }
}

async function activeListings(seller: Player): Promise<string[]> {
  const answer = await seller.api.callWithRetries({ method: 'GET', path: '/api/marketplace/my-listings' })
  return answer?.status === 200 ? (answer.body['listings'] as { _id: string }[]).map((listing) => listing._id) : []
}

async function list(run: Run, seller: Player, path: Path, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const at = [...path, 'list', index]
    const body = {
      tokenType: pickOne(run.seed, [...at, 'token'], tokens),
      price: priceAt(run.seed, at),
      amount: wholeBetween(run.seed, [...at, 'amount'], 1, 9),
      divisible: happens(run.seed, [...at, 'divisible'], DIVISIBLE),
    }
    const answer = await seller.api.callWithRetries({ method: 'POST', path: '/api/marketplace/listings', body })
    if (answer?.status === 201) run.journal.acknowledged.listed.set((answer.body['listing'] as { _id: string })._id, Date.now())
    else tally(run.journal.refusals, answer?.code ?? 'no answer')
  }
}

function priceAt(seed: number, path: Path): number {
  return wholeBetween(seed, [...path, 'price'], 1, 60) / 1000
}

/**
 * Sometimes on all servers at once, and sometimes once more after the answer, when a buyer may have bought it: one key changes one price
 * once, and never another one.
 */
async function reprice(run: Run, seller: Player, path: Path, listings: readonly string[]): Promise<void> {
  const at = [...path, 'reprice']
  const listingId = pickOne(run.seed, [...at, 'listing'], listings)
  if (listingId === undefined) return
  const price = priceAt(run.seed, at)
  const call = {
    method: 'PATCH',
    path: `/api/marketplace/listings/${listingId}`,
    body: { price },
    idempotencyKey: `${seller.name}, ${at.join(' ')}`,
  } as const
  if (happens(run.seed, [...at, 'everywhere'], EVERYWHERE)) await seller.api.callEverywhere(call)
  const answer = await seller.api.callWithRetries(call)
  if (answer?.status !== 200) return tally(run.journal.refusals, answer?.code ?? 'no answer')
  run.journal.acknowledged.priced += 1
  if (!happens(run.seed, [...at, 'again'], ASKS_AGAIN)) return
  const again = await seller.api.callWithRetries(call)
  const other = await seller.api.callWithRetries({ ...call, body: { price: OTHER_PRICE } })
  if (again && again.status !== 200) run.journal.unexpected.push(`a change of price was answered ${again.code} when it was repeated`)
  if (other && other.code !== 'IDEMPOTENCY_KEY_REUSED') {
    run.journal.unexpected.push(`a key that had changed one price was answered ${other.code ?? other.status} for another one`)
  }
}

async function remove(run: Run, seller: Player, listingId: string | undefined): Promise<void> {
  if (listingId === undefined) return
  const answer = await seller.api.callWithRetries({ method: 'DELETE', path: `/api/marketplace/listings/${listingId}` })
  if (answer?.status === 200) run.journal.acknowledged.removed.add(listingId)
  else tally(run.journal.refusals, answer?.code ?? 'no answer')
}

async function refundCases(run: Run, seller: Player, path: Path): Promise<void> {
  const answer = await seller.api.callWithRetries({ method: 'GET', path: '/api/marketplace/cases?limit=200' })
  if (answer?.status !== 200) return
  const own = (answer.body['cases'] as SellerCase[]).filter((found) => found.seller === seller.wallet.address && found.refundable)
  for (const [index, found] of own.entries()) {
    if (happens(run.seed, [...path, 'refund', index], REFUNDS)) await refund(run, seller, found, [...path, 'refund', index])
  }
}

async function refund(run: Run, seller: Player, { caseId, purchaseId }: SellerCase, path: Path): Promise<void> {
  const body = { coSigned: happens(run.seed, [...path, 'co-signed'], CO_SIGNED_REFUNDS) }
  const prepared = await seller.api.callWithRetries({ method: 'POST', path: `/api/marketplace/cases/${caseId}/refund`, body })
  if (prepared?.status !== 200) return tally(run.journal.refusals, prepared?.code ?? 'no answer')
  const { transaction } = prepared.body['refundDetails'] as { transaction: string }
  const signed = await signPrepared(seller.wallet, transaction)
  run.journal.payments.set(signed.signature, { signature: signed.signature, purchaseId, caseId, signedAt: Date.now() })
  const call = { method: 'POST', path: `/api/marketplace/cases/${caseId}/refund-payment`, body: { transaction: signed.base64 } } as const
  if (happens(run.seed, [...path, 'crashes'], CRASHES)) {
    tally(run.journal.crashes, 'refunding')
    return seller.api.sendAndDisconnect(call)
  }
  const answer = await seller.api.callWithRetries(call)
  if (answer?.status !== 200) tally(run.journal.refusals, answer?.code ?? 'no answer')
}
