import { type EndReason } from '@juicebar/contract/schemas'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { lockPurchase, findPurchase, emitPurchase } from '../purchase/purchase-store.ts'
import { type HoldState } from './hold.ts'
import { lockListings, markUnfunded, recordEnd, requestCancel, setUnprovable } from './hold-store.ts'
import { emitListing, markWaitingForStudio } from '../../listings/listing-store.ts'
import { isId } from '@juicebar/contract/ids'

/** A payment may still turn up after the end, so search for it soon. */
const FIRST_LATE_SEARCH_SECONDS = 60

interface EndOptions {
  /** Of a co-signed purchase: its buyer has too little SOL for it. */
  unfunded?: boolean
}

type DecideEnd = (hold: HoldState) => EndReason | undefined

/** Ends an open hold like `endHold`, in its own transaction. */
export async function endHoldAlone(
  { database, observer }: Pick<PurchaseDeps, 'database' | 'observer'>,
  id: string,
  decide: DecideEnd,
  options?: EndOptions,
): Promise<void> {
  const reason = await inTransaction(database, (tx) => endHold(tx, id, decide, options))
  if (reason) observer?.holdEnded(reason)
}

/**
 * Ends an open hold under the locks of its listings and of the purchase, if `decide` finds a reason there. The listings are free again;
 * buyers whose payments for them came late go first.
 * @returns the reason, or undefined if the hold was no longer open or stays.
 */
export async function endHold(
  tx: Tx,
  id: string,
  decide: DecideEnd,
  { unfunded = false }: EndOptions = {},
): Promise<EndReason | undefined> {
  await lockListings(tx, id)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, id)
  const reason = decide({ ...purchase, paymentRecorded: payment !== undefined })
  if (reason && unfunded) await markUnfunded(tx, id)
  if (reason) await recordEnd(tx, id, reason, reason === 'chain_gone' ? null : FIRST_LATE_SEARCH_SECONDS)
  return reason
}

/**
 * Cancels a buyer's hold. Its listings are free as soon as the chain proves that no payment can land.
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
}

/** Records whether only the studio can end an open hold, and tells everyone who sees its listings. */
export async function markUnprovable(tx: Tx, id: string, { unprovable }: { unprovable: boolean }): Promise<void> {
  await lockListings(tx, id)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return
  await setUnprovable(tx, id, { unprovable })
  for (const { listingId } of purchase.items) {
    await markWaitingForStudio(tx, listingId, { waitsForStudio: unprovable })
    await emitListing(tx, 'listing.held', listingId)
  }
  await emitPurchase(tx, id)
}
