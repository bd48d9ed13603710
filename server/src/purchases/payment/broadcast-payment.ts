import { type PaymentRow } from './payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'

/**
 * Hands kept bytes to the chain they were made for. Never fails: they are sent again until they land or expire, and whether they did
 * is learned from the chain's answers alone.
 */
export async function broadcastPayment(
  { chain, log }: PurchaseDeps,
  { signature, transactionBytes, genesisHash }: PaymentRow,
): Promise<void> {
  try {
    if (genesisHash === (await chain.genesisHash())) await chain.broadcast(transactionBytes)
  } catch (error) {
    log.warn({ err: error, signature }, 'a transaction could not be sent; it is sent again')
  }
}
