import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { type CheckedPayment, checkOnChain, readPayment } from './check-payment.ts'
import { findPayment, findRecordedPayment, insertPayment, type PaymentRow } from './payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { emitPurchase, findPurchase, lockPurchase, reconcileNow, type PurchaseRow } from '../purchase-store.ts'
import { broadcastPayment } from './broadcast-payment.ts'

/**
 * Takes the buyer's signed payment, records it, and only then sends it; the watcher sends it again until it lands or expires.
 * The same bytes answer the same again. Fails with PURCHASE_NOT_FOUND, PAYMENT_REFUSED, HOLD_ENDED, PAYMENT_DIFFERS or CHAIN_DOWN;
 * nothing was sent then.
 */
export async function submitPayment(deps: PurchaseDeps, buyer: WalletAddress, id: string, base64: string): Promise<Signature> {
  const { database, chain } = deps
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  const { seller, priceLamports, reference } = purchase
  const transaction = readPayment(base64, { from: buyer, to: seller, lamports: priceLamports, reference })
  let payment = await findPayment(database, transaction.signature)
  if (!payment) {
    if (purchase.status !== 'held') throw new Failure('HOLD_ENDED')
    payment = await recordPayment(deps, purchase, await checkOnChain(chain, transaction))
  }
  if (payment.status === 'recorded') await broadcastPayment(deps, payment)
  return payment.signature
}

async function recordPayment({ database, chain }: PurchaseDeps, purchase: PurchaseRow, payment: CheckedPayment): Promise<PaymentRow> {
  const genesisHash = await chain.genesisHash()
  return inTransaction(database, async (tx) => {
    const hold = await lockPurchase(tx, purchase.id)
    const known = await findPayment(tx, payment.signature)
    if (known) return known
    if (await findRecordedPayment(tx, purchase.id)) throw new Failure('PAYMENT_DIFFERS')
    if (hold?.status !== 'held' || hold.windowClosed || hold.cancelRequested || hold.genesisHash !== genesisHash)
      throw new Failure('HOLD_ENDED')
    const { signature, bytes, expiryHeight } = payment
    const recorded = await insertPayment(tx, {
      signature,
      kind: 'purchase',
      purchaseId: purchase.id,
      genesisHash,
      transactionBytes: Buffer.from(bytes),
      expiryHeight,
      status: 'recorded',
    })
    await reconcileNow(tx, purchase.id)
    await emitPurchase(tx, purchase.id)
    return recorded
  })
}
