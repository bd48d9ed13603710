import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import { type ChainClient, createChainClient } from '../../chaos/players/chain-client.ts'
import { type SignedTransaction, signTransfers } from '../../chaos/players/wallet.ts'
import { type OfferedPayment, signOffer } from '../chain/sign-offer.ts'
import { readReferences, type Trade } from '../databases/trades.ts'
import { runConcurrently } from '../measure/comparison.ts'
import { runLoad } from '../measure/http-load.ts'

/** Purchases of one run. */
export const TRADES = 300
/** Runs of each kind before anything is measured, since V8 goes on compiling for thousands of calls. */
export const WARM_UP = 3
/** As of an endpoint on this machine, which the product does not spare. */
export const REQUESTS_PER_SECOND = 2_000
/** Of the endpoint, which must refuse nobody. */
export const UNLIMITED = 1_000_000
export const HOLD_SECONDS = 120

const CONNECTIONS = 32
const SENT_TOGETHER = 32
const POLL_MILLIS = 100

interface TradeRun {
  port: number
  pool: pg.Pool
  trades: readonly Trade[]
  /** The RPC URL of wallets. */
  walletsUrl: string
  /** CPU milliseconds that all that is measured has used so far. */
  cpu: () => Promise<number>
}

interface Used {
  millis: number
  cpu: number
}

/** What the calls took, and the pause between them while buyers pay; and how long each call took. */
export interface TradeTimes {
  calls: Used
  pause: Used
  millis: number[]
}

/** Offers for all, signatures, then payments for all; then the market delivers, which nobody asks it to. */
export async function runCoSigned({ port, pool, trades, cpu }: Omit<TradeRun, 'walletsUrl'>): Promise<TradeTimes> {
  const load = { port, connections: CONNECTIONS, requests: trades.length }
  const itemsOf = (turn: number) => [{ listingId: at(trades, turn).listingId }]
  const offers: OfferedPayment[] = []
  const marks: Used[] = []
  const mark = async () => void marks.push({ millis: performance.now(), cpu: await cpu() })
  await mark()
  const offered = await runLoad({
    ...load,
    next: (turn) => ({ method: 'POST', path: '/api/marketplace/offers', jwt: at(trades, turn).jwt, body: { items: itemsOf(turn) } }),
    onReply: (turn, body) => {
      offers[turn] = (JSON.parse(body) as { offer: OfferedPayment }).offer
    },
  })
  await mark()
  const signed = await Promise.all(trades.map(({ buyer }, turn) => signOffer(buyer, at(offers, turn))))
  await mark()
  const paid = await runLoad({
    ...load,
    next: (turn) => {
      const body = { items: itemsOf(turn), reference: at(offers, turn).reference, transaction: at(signed, turn) }
      return { method: 'POST', path: '/api/marketplace/payments', jwt: at(trades, turn).jwt, body }
    },
  })
  await mark()
  await untilSettled(pool)
  await mark()
  const [begun, had, ready, sent, done] = [at(marks, 0), at(marks, 1), at(marks, 2), at(marks, 3), at(marks, 4)]
  const [offering, paying, delivering] = [between(begun, had), between(ready, sent), between(sent, done)]
  return {
    calls: { millis: offering.millis + paying.millis, cpu: offering.cpu + paying.cpu },
    pause: delivering,
    millis: [...offered.millis, ...paid.millis],
  }
}

async function untilSettled(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select from purchases where status = 'held' limit 1`)
    if (rows.length === 0) return
    await delay(POLL_MILLIS)
  }
}

/** Buys all, then pays for all, then confirms all, since a payment lands only a moment later. */
export async function runTrades({ port, pool, trades, walletsUrl, cpu }: TradeRun): Promise<TradeTimes> {
  const load = { port, connections: CONNECTIONS, requests: trades.length }
  const marks: Used[] = []
  const mark = async () => void marks.push({ millis: performance.now(), cpu: await cpu() })
  await mark()
  const held = await runLoad({
    ...load,
    next: (turn) => {
      const { listingId, jwt } = at(trades, turn)
      return { method: 'POST', path: `/api/marketplace/buy/${listingId}`, jwt }
    },
  })
  await mark()
  const payments = await payAll(createChainClient(walletsUrl), trades, await readReferences(pool))
  await mark()
  const confirmed = await runLoad({
    ...load,
    next: (turn) => {
      const { listingId, jwt } = at(trades, turn)
      const body = { listingId, transactionSignature: at(payments, turn).signature }
      return { method: 'POST', path: '/api/marketplace/confirm-purchase', jwt, body }
    },
  })
  await mark()
  const [begun, bought, paid, done] = [at(marks, 0), at(marks, 1), at(marks, 2), at(marks, 3)]
  const [buying, pause, confirming] = [between(begun, bought), between(bought, paid), between(paid, done)]
  return {
    calls: { millis: buying.millis + confirming.millis, cpu: buying.cpu + confirming.cpu },
    pause,
    millis: [...held.millis, ...confirmed.millis],
  }
}

/** Signs and sends a transfer for each trade. Resolves once all are confirmed. */
export async function payAll(
  chain: ChainClient,
  trades: readonly Trade[],
  references: ReadonlyMap<string, string>,
): Promise<SignedTransaction[]> {
  const payments: SignedTransaction[] = []
  const latest: unknown = await chain.call('getLatestBlockhash', [{ commitment: 'confirmed' }])
  const shared = { call: async <Result>() => latest as Result }
  await runConcurrently(trades.length, SENT_TOGETHER, async (turn) => {
    const { buyer, seller, lamports, listingId } = at(trades, turn)
    const reference = references.get(listingId)
    if (reference === undefined) throw new Error(`nobody holds ${listingId}`)
    const payment = await signTransfers(shared, buyer, [{ to: seller, lamports }], reference, 'legacy')
    payments[turn] = payment
    await chain.call('sendTransaction', [payment.base64, { encoding: 'base64' }])
  })
  await untilConfirmed(chain, at(payments, payments.length - 1).signature)
  return payments
}

async function untilConfirmed(chain: ChainClient, signature: string): Promise<void> {
  for (;;) {
    const { value } = await chain.call<{ value: ({ confirmationStatus: string } | null)[] }>('getSignatureStatuses', [[signature]])
    if (value[0]?.confirmationStatus === 'confirmed' || value[0]?.confirmationStatus === 'finalized') return
    await delay(POLL_MILLIS)
  }
}

function between(from: Used, to: Used): Used {
  return { millis: to.millis - from.millis, cpu: to.cpu - from.cpu }
}

function at<T>(all: readonly T[], turn: number): T {
  const one = all[turn]
  if (one === undefined) throw new Error('the bench ran out of trades')
  return one
}
