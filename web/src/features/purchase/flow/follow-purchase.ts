import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'

import { isPassing } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { pause } from '../../../api/retry-passing.ts'
import { openPurchasesQuery } from '../../../api/player-queries.ts'
import { showBanner, showToast } from '../../../feedback/notices.ts'
import { shortSignature } from '../../../ui/format.ts'
import { endedText } from '../order/order-terms.ts'
import { type PaidPurchase } from '../order/order.ts'

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

/** The purchases whose outcome this page has told. */
const told = new Set<string>()

/** Tells the buyer the outcome of a purchase, once: in a toast if it was delivered, otherwise in the banner. */
export function tellOutcome(purchase: Purchase): void {
  if (told.has(purchase.purchaseId)) return
  told.add(purchase.purchaseId)
  if (purchase.status === 'settled') showToast(messages.purchaseSucceeded(shortSignature(purchase.signature ?? '')), 'good')
  else showBanner(endedText(purchase))
}

/**
 * Removes a closed purchase from the loaded list of open ones at once, so that no reply in flight brings it back and its outcome is shown
 * twice.
 */
export async function dropOpenPurchase(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = openPurchasesQuery
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (open) => open?.filter(({ purchaseId }) => purchaseId !== id))
}
