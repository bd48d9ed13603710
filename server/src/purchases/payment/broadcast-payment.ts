import { type PurchaseDeps } from '../purchase-deps.ts'
import { purchaseFields } from '../purchase-wait.ts'
import { type PaymentRow } from './payment-store.ts'

/**
 * Broadcasts recorded transaction bytes on the chain they were made for. Never fails: reconciliation broadcasts them again until they
 * land or expire, and only the chain's own answers show whether they did.
 */
export async function broadcastPayment(
  { chain, failures }: PurchaseDeps,
  purchase: { id: string | null; buyer: string },
  payment: Pick<PaymentRow, 'signature' | 'kind' | 'transactionBytes' | 'genesisHash'>,
): Promise<void> {
  const { signature, kind, transactionBytes, genesisHash } = payment
  try {
    if (genesisHash === (await chain.genesisHash())) await chain.broadcast(transactionBytes)
  } catch (error) {
    const wait = { waitingFor: kind === 'refund' ? 'its refund to land on the chain' : 'its payment to land on the chain' }
    failures.failed(
      error,
      { ...purchaseFields(purchase, wait), transaction: signature },
      'broadcasting a transaction failed; it will be sent again',
    )
  }
}
