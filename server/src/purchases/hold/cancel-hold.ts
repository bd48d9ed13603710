import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { endHold, endsUnsent } from './end-hold.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase, lockPurchase, requestCancel } from '../purchase-store.ts'

/**
 * The buyer gives a lot back. Where only the server could have sent a payment the lot is free at once; else as soon as the chain
 * proves that no payment can come. Fails with PURCHASE_NOT_FOUND, or PAYMENT_UNDER_WAY once a payment was handed in.
 */
export async function cancelHold({ database }: PurchaseDeps, buyer: WalletAddress, id: string): Promise<void> {
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  await inTransaction(database, async (tx) => {
    const locked = await lockPurchase(tx, id)
    if (locked?.status !== 'held') return
    if (await findRecordedPayment(tx, id)) throw new Failure('PAYMENT_UNDER_WAY')
    await requestCancel(tx, id)
  })
  await inTransaction(database, (tx) => endHold(tx, purchase, endsUnsent))
}
