import { type Purchase } from '@juicebar/contract/schemas'

import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'

/** How often the server is asked how far a payment is, in milliseconds. */
const ASK_EVERY_MS = 1_200

const followed = new Map<string, Promise<Purchase>>()

interface Followed {
  purchaseId: string
  listingId: string
  signature: string
  onChange: (purchase: Purchase) => void
}

/**
 * Asks the server to confirm a paid purchase until it is delivered or ended, and gives what became of it. Followed twice, it is asked
 * for once. A lost connection is waited out; a refusal is thrown as `ApiError`.
 */
export function followPurchase(subject: Followed): Promise<Purchase> {
  const known = followed.get(subject.purchaseId)
  if (known) return known
  const outcome = confirmUntilOver(subject).finally(() => followed.delete(subject.purchaseId))
  followed.set(subject.purchaseId, outcome)
  return outcome
}

async function confirmUntilOver({ listingId, signature, onChange }: Followed): Promise<Purchase> {
  for (;;) {
    const purchase = await confirm(listingId, signature)
    if (purchase) onChange(purchase)
    if (purchase && purchase.status !== 'held') return purchase
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}

async function confirm(listingId: string, transactionSignature: string): Promise<Purchase | undefined> {
  try {
    return (await call('confirmPurchase', { body: { listingId, transactionSignature } })).purchase
  } catch (error) {
    if (error instanceof ApiError && isPassing(error)) return undefined
    throw error
  }
}

/** True for failures that say nothing about the purchase and go away by themselves. */
function isPassing(error: ApiError): boolean {
  return error.status === 0 || error.status >= 500 || error.status === 429
}
