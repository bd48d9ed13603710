import { type Purchase } from '@juicebar/contract/schemas'

import { isPassing } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { pause } from '../../../api/pause.ts'

const POLL_MS = 1_200

/** The purchases under way, so that two followers of one share its requests. */
const following = new Map<string, Promise<Purchase>>()

interface PaidPurchase {
  purchaseId: string
  listingId: string
  signature: string
  onChange: (purchase: Purchase) => void
}

/**
 * Asks the server to confirm a paid purchase until it is delivered or ended. Waits out lost connections.
 *
 * @returns the closed purchase
 * @throws ApiError if the server refuses
 */
export function followPurchase(purchase: PaidPurchase): Promise<Purchase> {
  const known = following.get(purchase.purchaseId)
  if (known) return known
  const outcome = confirmUntilClosed(purchase).finally(() => following.delete(purchase.purchaseId))
  following.set(purchase.purchaseId, outcome)
  return outcome
}

async function confirmUntilClosed({ listingId, signature, onChange }: PaidPurchase): Promise<Purchase> {
  for (;;) {
    const purchase = await confirm(listingId, signature)
    if (purchase) onChange(purchase)
    if (purchase && purchase.status !== 'held') return { ...purchase, signature: purchase.signature ?? signature }
    await pause(POLL_MS)
  }
}

async function confirm(listingId: string, transactionSignature: string): Promise<Purchase | undefined> {
  try {
    return (await call('confirmPurchase', { body: { listingId, transactionSignature } })).purchase
  } catch (error) {
    if (isPassing(error)) return undefined
    throw error
  }
}
