import { type Signature } from '@juicebar/contract/addresses'

import { type FinalizedView, type SignatureStatus } from '../../../chain/chain.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type CurrentPayment, type DuePurchase, listCurrentPayments } from '../reconciliation-store.ts'
import { PROOFS_PER_ROUND } from '../schedule.ts'
import { type HistorySearch, obstructedEndpoints } from './history-search.ts'

type Statuses = ReadonlyMap<Signature, SignatureStatus>

/** The data that one round reads for all its purchases at once. Every request is sent after the purchases were leased. */
export interface Round {
  /** The payment of each purchase that has one: recorded for a hold, or settling. */
  payments: Promise<ReadonlyMap<string, CurrentPayment>>
  /** The chain's statuses of payments recorded for holds. */
  statuses: Promise<Statuses>
  /** The certain statuses of payments that settled purchases. */
  finality: Promise<Statuses>
  /** The highest block height of any endpoint. */
  blockHeight(): Promise<bigint>
  /** The finalized chain. */
  finalized(): Promise<FinalizedView>
  /** Whether the budget allows one more proof that no payment landed: each takes many requests. */
  mayProve(): boolean
}

/** Starts the reads of a round: one database query and two requests to the chain, however many purchases. */
export function openRound({ database, chain }: PurchaseDeps, purchases: readonly DuePurchase[]): Round {
  const payments = listCurrentPayments(database, purchases).then((rows) => new Map(rows.map((row) => [row.purchaseId, row])))
  const signaturesOf = (status: CurrentPayment['status']) =>
    payments.then((known) => [...known.values()].filter((payment) => payment.status === status).map(({ signature }) => signature))
  const statuses = signaturesOf('recorded').then((signatures) => chain.statuses(signatures))
  const finality = signaturesOf('settled').then((signatures) => chain.finality(signatures))
  // Each purchase that needs the statuses handles their failure; if none does, the rejection must not end the process.
  for (const reading of [statuses, finality]) reading.catch(() => undefined)
  let height: Promise<bigint> | undefined
  let view: Promise<FinalizedView> | undefined
  let proofs = 0
  return {
    payments,
    statuses,
    finality,
    blockHeight: () => (height ??= chain.highestBlockHeight()),
    finalized: () => (view ??= chain.finalized()),
    mayProve: () => (proofs += 1) <= PROOFS_PER_ROUND,
  }
}

/**
 * The finalized chain as an endpoint shows it that may still prove that no payment landed.
 * @throws CHAIN_DOWN if none of these answers
 */
export async function openProvingView(
  { chain }: PurchaseDeps,
  anyView: FinalizedView,
  saved: readonly HistorySearch[],
): Promise<FinalizedView> {
  const except = obstructedEndpoints(saved)
  return except.has(anyView.endpoint) ? chain.finalized({ except }) : anyView
}
