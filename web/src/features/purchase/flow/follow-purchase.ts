import { type Purchase } from '@juicebar/contract/schemas'

import { isPassing } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { pause } from '../../../api/pause.ts'
import { type PaidPurchase } from '../order/payment.ts'

const POLL_MS = 1_200

/** The purchases under way, so that two followers of one share its requests. */
const following = new Map<string, Promise<Purchase>>()

interface Followed extends PaidPurchase {
  onChange: (purchase: Purchase) => void
}

/**
 * Asks the server about a paid purchase until it is delivered or ended. Waits out lost connections.
 *
 * @returns the closed purchase
 * @throws ApiError if the server refuses
 */
export function followPurchase(purchase: Followed): Promise<Purchase> {
  const known = following.get(purchase.purchaseId)
  if (known) return known
  const outcome = askUntilClosed(purchase).finally(() => following.delete(purchase.purchaseId))
  following.set(purchase.purchaseId, outcome)
  return outcome
}

async function askUntilClosed(paid: Followed): Promise<Purchase> {
  for (;;) {
    const purchase = await ask(paid)
    if (purchase) paid.onChange(purchase)
    if (purchase && purchase.status !== 'held') return { ...purchase, signature: purchase.signature ?? paid.signature }
    await pause(POLL_MS)
  }
}

/** The server follows by itself what it has sent; a payment that a wallet sent is one that the buyer tells of. */
async function ask({ purchaseId, listingId, signature, coSigned }: Followed): Promise<Purchase | undefined> {
  try {
    if (coSigned) return (await call('myPurchase', { params: { id: purchaseId } })).purchase
    return (await call('confirmPurchase', { body: { listingId, transactionSignature: signature } })).purchase
  } catch (error) {
    if (isPassing(error)) return undefined
    throw error
  }
}
