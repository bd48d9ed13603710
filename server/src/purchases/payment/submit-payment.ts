import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { emitPurchase, findPurchase, lockPurchase, type PurchaseRow, reconcileNow } from '../purchase-store.ts'
import { broadcastPayment } from './broadcast-payment.ts'
import { type CheckedPayment, checkOnChain, decodePayment } from './check-payment.ts'
import { expectedPaymentOf } from './payment-terms.ts'
import { findPayment, findRecordedPayment, insertPayment, type PaymentRow } from './payment-store.ts'

/**
 * Records the buyer's signed payment and only then broadcasts it; reconciliation broadcasts it again until it lands or expires.
 * The same bytes get the same answer again.
 * @throws PURCHASE_NOT_FOUND, PAYMENT_REFUSED, HOLD_ENDED, PAYMENT_DIFFERS or CHAIN_DOWN, if nothing was sent.
 */
export async function submitPayment(deps: PurchaseDeps, buyer: WalletAddress, id: string, base64: string): Promise<Signature> {
  const { database, chain } = deps
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  const transaction = decodePayment(base64, expectedPaymentOf(purchase))
  let payment = await findPayment(database, transaction.signature)
  if (!payment) {
    if (purchase.status !== 'held') throw new Failure('HOLD_ENDED')
    payment = await recordPayment(deps, purchase, await checkOnChain(chain, transaction))
  }
  if (payment.status === 'recorded') await broadcastPayment(deps, purchase, payment)
  return payment.signature
}

async function recordPayment({ database, chain }: PurchaseDeps, purchase: PurchaseRow, payment: CheckedPayment): Promise<PaymentRow> {
  const { signature, bytes, expiryHeight } = payment
  const { id: purchaseId } = purchase
  const genesisHash = await chain.genesisHash()
  return inTransaction(database, async (tx) => {
    const hold = await lockPurchase(tx, purchaseId)
    const known = await findPayment(tx, signature)
    if (known) return known
    if (await findRecordedPayment(tx, purchaseId)) throw new Failure('PAYMENT_DIFFERS')
    if (hold?.status !== 'held' || hold.windowClosed || hold.cancelRequested) throw new Failure('HOLD_ENDED')
    if (hold.genesisHash !== genesisHash) throw new Failure('HOLD_ENDED')
    const transactionBytes = Buffer.from(bytes)
    const row = { signature, purchaseId, genesisHash, transactionBytes, expiryHeight, kind: 'purchase', status: 'recorded' } as const
    const recorded = await insertPayment(tx, row)
    await reconcileNow(tx, purchaseId)
    await emitPurchase(tx, purchaseId)
    return recorded
  })
}
