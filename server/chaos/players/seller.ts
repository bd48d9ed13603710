import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickOne, wholeBetween } from '../seeded-random.ts'
import { tally } from './journal.ts'
import { type Run, type Trader } from './player.ts'
import { signPrepared } from './wallet.ts'

export const tokens = ['APPLE_JUICE', 'ORANGE_JUICE', 'GRAPE_SODA'] as const
/** Each token that a seller starts with. */
export const STOCK = 100_000

const PAUSE_MILLIS = { low: 300, high: 900 }
const REMOVES = 0.08
const LOOKS_AT_CASES = 0.15
const REFUNDS = 0.5
const DIES_REFUNDING = 0.15

interface SellersCase {
  caseId: string
  purchaseId: string
  seller: string
  refundable: boolean
}

/** One seller: keeps some lots on the market, takes one back now and then, and pays some stray payments back. */
export async function runSeller(run: Run, seller: Trader, lotsOnMarket: number): Promise<void> {
  for (let n = 1; !run.closing.aborted; n++) {
    const path = ['seller', seller.name, n]
    const lots = await activeLots(seller)
    if (lots.length < lotsOnMarket) await list(run, seller, path, lotsOnMarket - lots.length)
    else if (happens(run.seed, [...path, 'removes'], REMOVES)) await remove(run, seller, pickOne(run.seed, [...path, 'lot'], lots))
    if (happens(run.seed, [...path, 'cases'], LOOKS_AT_CASES)) await refundSome(run, seller, path)
    await delay(between(run.seed, [...path, 'pause'], PAUSE_MILLIS.low, PAUSE_MILLIS.high))
  }
}

async function activeLots(seller: Trader): Promise<string[]> {
  const answer = await seller.api.insist({ method: 'GET', path: '/api/marketplace/my-listings' })
  return answer?.status === 200 ? (answer.body['listings'] as { _id: string }[]).map((lot) => lot._id) : []
}

async function list(run: Run, seller: Trader, path: Path, missing: number): Promise<void> {
  for (let lot = 0; lot < missing; lot++) {
    const at = [...path, 'list', lot]
    const body = {
      tokenType: pickOne(run.seed, [...at, 'token'], tokens),
      price: wholeBetween(run.seed, [...at, 'price'], 1, 60) / 1000,
      amount: wholeBetween(run.seed, [...at, 'amount'], 1, 9),
    }
    const answer = await seller.api.insist({ method: 'POST', path: '/api/marketplace/listings', body })
    if (answer?.status !== 201) tally(run.journal.refusals, answer?.code ?? 'no answer')
  }
}

async function remove(run: Run, seller: Trader, lot: string | undefined): Promise<void> {
  const answer = await seller.api.insist({ method: 'DELETE', path: `/api/marketplace/listings/${lot}` })
  if (answer?.status !== 200) tally(run.journal.refusals, answer?.code ?? 'no answer')
}

async function refundSome(run: Run, seller: Trader, path: Path): Promise<void> {
  const answer = await seller.api.insist({ method: 'GET', path: '/api/marketplace/cases?limit=200' })
  if (answer?.status !== 200) return
  const own = (answer.body['cases'] as SellersCase[]).filter((found) => found.seller === seller.wallet.address && found.refundable)
  for (const [index, found] of own.entries()) {
    if (happens(run.seed, [...path, 'refund', index], REFUNDS)) await refund(run, seller, found, [...path, 'refund', index])
  }
}

async function refund(run: Run, seller: Trader, { caseId, purchaseId }: SellersCase, path: Path): Promise<void> {
  const prepared = await seller.api.insist({ method: 'POST', path: `/api/marketplace/cases/${caseId}/refund` })
  if (prepared?.status !== 200) return tally(run.journal.refusals, prepared?.code ?? 'no answer')
  const { transaction } = prepared.body['refundDetails'] as { transaction: string }
  const signed = await signPrepared(seller.wallet, transaction)
  run.journal.payments.set(signed.signature, { signature: signed.signature, purchaseId, caseId, signedAt: Date.now() })
  const call = { method: 'POST', path: `/api/marketplace/cases/${caseId}/refund-payment`, body: { transaction: signed.base64 } } as const
  if (happens(run.seed, [...path, 'dies'], DIES_REFUNDING)) {
    tally(run.journal.deaths, 'refunding')
    return seller.api.sendAndDie(call)
  }
  const answer = await seller.api.insist(call)
  if (answer?.status !== 200) tally(run.journal.refusals, answer?.code ?? 'no answer')
}
