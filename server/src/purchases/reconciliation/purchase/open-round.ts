import { type Signature } from '@juicebar/contract/addresses'

import { type FinalizedView, type SignatureStatus } from '../../../chain/chain.ts'
import { type PaymentRow } from '../../payment/payment-store.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type DuePurchase, listCurrentPayments } from '../reconciliation-store.ts'
import { PROOFS_PER_ROUND } from '../schedule.ts'

/** What one round reads for all of its purchases at once. Every request is sent after the purchases were leased. */
export interface Round {
  /** The payment of each purchase that has one: recorded for a hold, or settling. */
  payments: Promise<ReadonlyMap<string, PaymentRow>>
  /** What the chain says of these payments. */
  statuses: Promise<ReadonlyMap<Signature, SignatureStatus>>
  /** The highest block height of any endpoint. */
  blockHeight(): Promise<bigint>
  /** The finalized chain. */
  finalized(): Promise<FinalizedView>
  /** Whether there is room for one more proof that no payment came: each takes many requests. */
  mayProve(): boolean
}

/** Begins to read for a round: one database query and one request to the chain, however many purchases. */
export function openRound({ database, chain }: PurchaseDeps, purchases: readonly DuePurchase[]): Round {
  const payments = listCurrentPayments(database, purchases).then((rows) => new Map(rows.map((row) => [row.purchaseId, row])))
  const statuses = payments.then((known) => {
    const signatures = [...known.values()].map(({ signature }) => signature)
    return signatures.length > 0 ? chain.statuses(signatures) : new Map<Signature, SignatureStatus>()
  })
  // Each purchase that needs the statuses hears of their failure; a round in which none does must not end the process.
  statuses.catch(() => undefined)
  let height: Promise<bigint> | undefined
  let view: Promise<FinalizedView> | undefined
  let proofs = 0
  return {
    payments,
    statuses,
    blockHeight: () => (height ??= chain.highestBlockHeight()),
    finalized: () => (view ??= chain.finalized()),
    mayProve: () => (proofs += 1) <= PROOFS_PER_ROUND,
  }
}
