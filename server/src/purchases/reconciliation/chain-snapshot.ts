import { type Signature } from '@juicebar/contract/addresses'

import { type FinalizedView, type SignatureStatus } from '../../chain/chain.ts'
import { listRecordedPayments, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { PROOFS_A_ROUND } from './schedule.ts'

/** What is known of the payments of some purchases, read for all of them at once. */
export interface Evidence {
  /** The bytes under way, by purchase. */
  recorded: ReadonlyMap<string, PaymentRow>
  statuses: ReadonlyMap<Signature, SignatureStatus>
  /** The finalized chain, asked for once by whoever needs it first. Fails with CHAIN_DOWN. */
  finalized(): Promise<FinalizedView>
  /** Whether this round has room for one more proof that no payment came: each takes many calls. */
  mayProve(): boolean
}

/** One database query and one call to the chain, however many purchases. Fails with CHAIN_DOWN. */
export async function readEvidence({ database, chain }: PurchaseDeps, purchases: readonly PurchaseRow[]): Promise<Evidence> {
  const open = purchases.filter((purchase) => purchase.status === 'held')
  const payments = await listRecordedPayments(
    database,
    open.map((purchase) => purchase.id),
  )
  const settled = purchases.flatMap((purchase) => (purchase.status === 'settled' && purchase.signature ? [purchase.signature] : []))
  const signatures = [...payments.map((payment) => payment.signature), ...settled]
  const statuses = signatures.length > 0 ? await chain.statuses(signatures) : new Map<Signature, SignatureStatus>()
  let view: Promise<FinalizedView> | undefined
  let proofs = 0
  return {
    recorded: new Map(payments.map((payment) => [payment.purchaseId, payment])),
    statuses,
    finalized: () => (view ??= chain.finalized()),
    mayProve: () => (proofs += 1) <= PROOFS_A_ROUND,
  }
}
