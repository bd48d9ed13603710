import { setTimeout as delay } from 'node:timers/promises'

import { tokens } from '../catalogue.ts'
import { between, happens, type Path, pickOne, wholeBetween } from '../seeded-random.ts'
import { tally } from '../tally.ts'
import { type Player, type Run } from './player.ts'
import { signPrepared } from './wallet.ts'

/** How many of each token a seller starts with. */
export const STOCK = 100_000

const PAUSE_MILLIS = { low: 300, high: 900 }
/** Probabilities: per round the first two, per case the third, per refund the last two. */
const REMOVES = 0.08
const CHECKS_CASES = 0.15
const REFUNDS = 0.5
const CRASHES = 0.15
const CO_SIGNED_REFUNDS = 0.5
/** Per listing. */
const DIVISIBLE = 0.6

interface SellerCase {
  caseId: string
  purchaseId: string
  seller: string | null
  refundable: boolean
}

/** One seller: keeps `target` listings on the market, removes one now and then, and refunds some cases. */
export async function runSeller(run: Run, seller: Player, target: number): Promise<void> {
  for (let n = 1; !run.closing.aborted; n++) {
    const path = ['seller', seller.name, n]
    const listings = await activeListings(seller)
    if (listings.length < target) await list(run, seller, path, target - listings.length)
    else if (happens(run.seed, [...path, 'removes'], REMOVES)) await remove(run, seller, pickOne(run.seed, [...path, 'listing'], listings))
    if (happens(run.seed, [...path, 'cases'], CHECKS_CASES)) await refundCases(run, seller, path)
    await delay(between(run.seed, [...path, 'pause'], PAUSE_MILLIS.low, PAUSE_MILLIS.high))
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
      price: wholeBetween(run.seed, [...at, 'price'], 1, 60) / 1000,
      amount: wholeBetween(run.seed, [...at, 'amount'], 1, 9),
      divisible: happens(run.seed, [...at, 'divisible'], DIVISIBLE),
    }
    const answer = await seller.api.callWithRetries({ method: 'POST', path: '/api/marketplace/listings', body })
    if (answer?.status === 201) run.journal.acknowledged.listed.set((answer.body['listing'] as { _id: string })._id, Date.now())
    else tally(run.journal.refusals, answer?.code ?? 'no answer')
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
