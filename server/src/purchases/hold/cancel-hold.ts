import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase, lockPurchase } from '../purchase-store.ts'
import { endHoldAlone } from './end-hold.ts'
import { endsUnsent } from './hold.ts'
import { requestCancel } from './hold-store.ts'

/**
 * Cancels a buyer's hold. Its listings are free as soon as the chain proves that no payment can land; those of a hold from before 0.3.0 that
 * only the server would have paid for, at once.
 * @throws PURCHASE_NOT_FOUND, or PAYMENT_UNDER_WAY once a payment was submitted.
 */
export async function cancelHold(deps: PurchaseDeps, buyer: WalletAddress, id: string): Promise<void> {
  const { database } = deps
  const purchase = isId(id) ? await findPurchase(database, id) : undefined
  if (purchase?.buyer !== buyer) throw new Failure('PURCHASE_NOT_FOUND')
  await inTransaction(database, async (tx) => {
    const locked = await lockPurchase(tx, id)
    if (locked?.status !== 'held') return
    if (await findRecordedPayment(tx, id)) throw new Failure('PAYMENT_UNDER_WAY')
    await requestCancel(tx, id)
  })
  await endHoldAlone(deps, id, endsUnsent)
}
