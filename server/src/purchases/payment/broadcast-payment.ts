import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PaymentRow } from './payment-store.ts'

/**
 * Broadcasts recorded transaction bytes on the chain they were made for. Never fails: reconciliation broadcasts them again until they
 * land or expire, and only the chain's own answers tell whether they did.
 */
export async function broadcastPayment({ chain, log }: PurchaseDeps, payment: PaymentRow): Promise<void> {
  const { signature, purchaseId, transactionBytes, genesisHash } = payment
  try {
    if (genesisHash === (await chain.genesisHash())) await chain.broadcast(transactionBytes)
  } catch (error) {
    log.warn({ err: error, signature, purchaseId }, 'broadcasting a transaction failed; it will be sent again')
  }
}
