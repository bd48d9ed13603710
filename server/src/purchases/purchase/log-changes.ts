import { type PurchaseDeps, type SettledPurchase } from './purchase-deps.ts'
import { type PurchaseRow } from './purchase-store.ts'
import { purchaseFields } from './purchase-wait.ts'

/** Who is notified of changes. */
type Told = Pick<PurchaseDeps, 'log' | 'observer'>

/** How long a payment took to be delivered. */
export type DeliveryTimes = Pick<SettledPurchase, 'secondsSinceConfirmed' | 'secondsSinceSubmitted'>

/** One line for each sale, from the server that committed it. */
export function logSale({ log, observer }: Told, purchase: PurchaseRow, signature: string, times: DeliveryTimes): void {
  const { items, priceLamports, feeLamports } = purchase
  const sold = items.map(({ seller, listingId: listing, tokenType, amount, lamports }) => ({
    seller,
    listing,
    tokenType,
    amount,
    lamports,
  }))
  const paid = { lamports: String(priceLamports), fee: String(feeLamports), transaction: signature }
  log.info({ ...purchaseFields(purchase, { waitingFor: 'its payment to be finalized' }), items: sold, ...paid }, 'a sale')
  observer?.settled({ tokenTypes: items.map(({ tokenType }) => tokenType), priceLamports, ...times })
}
