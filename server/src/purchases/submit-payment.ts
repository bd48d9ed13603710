import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { inTransaction } from '../database/transact.ts'
import { isId } from '../listings/listing.ts'
import { type CheckedPayment, checkOnChain, readPayment } from './check-payment.ts'
import { findPayment, findRecordedPayment, insertPayment } from './payment-store.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { emitPurchase, findPurchase, lockPurchase, lookNow, type PurchaseRow } from './purchase-store.ts'

/**
 * Takes the buyer's signed payment, records it, and only then sends it; the watcher sends it again until it lands or expires.
 * The same bytes answer the same again. Fails with PURCHASE_NOT_FOUND, PAYMENT_REFUSED, HOLD_ENDED, PAYMENT_DIFFERS or CHAIN_DOWN;
 * nothing was sent then.
 */
export async function submitPayment(deps: PurchaseDeps, buyer: WalletAddress, id: string, base64: string): Promise<Signature> {
  const { database, chain, log } = deps
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  const { seller, priceLamports, reference } = purchase
  const transaction = readPayment(base64, { from: buyer, to: seller, lamports: priceLamports, reference })
  const known = await findPayment(database, transaction.signature)
  if (!known) {
    if (purchase.status !== 'held') throw new Failure('HOLD_ENDED')
    await recordPayment(deps, purchase, await checkOnChain(chain, transaction))
  }
  // The bytes are safe now: a failed broadcast is repeated by the watcher, on whichever node.
  await chain.broadcast(transaction.bytes).catch((error: unknown) => log.warn({ err: error, purchaseId: id }, 'first broadcast failed'))
  return transaction.signature
}

async function recordPayment({ database, chain }: PurchaseDeps, purchase: PurchaseRow, payment: CheckedPayment): Promise<void> {
  const genesisHash = await chain.genesisHash()
  await inTransaction(database, async (tx) => {
    const hold = await lockPurchase(tx, purchase.id)
    const earlier = await findRecordedPayment(tx, purchase.id)
    if (earlier && earlier.signature !== payment.signature) throw new Failure('PAYMENT_DIFFERS')
    if (earlier) return
    if (hold?.status !== 'held' || hold.over || hold.lettingGo || hold.genesisHash !== genesisHash) throw new Failure('HOLD_ENDED')
    const { signature, wire, expiryHeight } = payment
    await insertPayment(tx, {
      signature,
      kind: 'purchase',
      purchaseId: purchase.id,
      genesisHash,
      wire: Buffer.from(wire),
      expiryHeight,
      status: 'recorded',
    })
    await lookNow(tx, purchase.id)
    await emitPurchase(tx, purchase.id)
  })
}
