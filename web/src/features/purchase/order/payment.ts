import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { type Connection } from '../../../wallet/wallet-store.ts'
import { type Order } from './order.ts'
import { type Progress } from './progress.ts'

/** An order to pay for. */
export interface Payment {
  order: Order
  connection: Connection
  network: PublicConfig['network']
  /** Aborted, with a PurchaseStopped, when the buyer cancels; it has no effect while the wallet is asked, and afterwards. */
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** A purchase whose payment is under way, and the payment's transaction. */
export interface PaidPurchase extends Pick<Purchase, 'purchaseId' | 'coSigned'> {
  /** The listing, or the first of several. */
  listingId: string
  signature: string
}
