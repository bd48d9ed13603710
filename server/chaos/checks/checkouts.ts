import { type Checkout } from '@juicebar/contract/schemas'

import { type ApiClient } from '../players/api-client.ts'
import { type Journal, type JournalCheckout } from '../players/journal.ts'
import { type ProductRecord, type PurchaseSeen } from './product-record.ts'
import { read } from './read-product-api.ts'

/** All checkouts, as the game's server reads them. */
export async function readCheckouts(api: ApiClient): Promise<Checkout[]> {
  const all: Checkout[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`
    const page: { checkouts: Checkout[]; nextCursor: string | null } = await read(api, `/api/studio/checkouts?limit=200${next}`)
    all.push(...page.checkouts)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}

/**
 * Every checkout is there once, as the game asked for it. It is completed by exactly one delivered purchase of exactly that, for no more
 * than it may cost, or nothing was delivered for it.
 * @returns a sentence for every violation
 */
export function checkCheckouts(checkouts: readonly Checkout[], product: ProductRecord, { checkouts: asked, payments }: Journal): string[] {
  const delivered = new Map<string, PurchaseSeen[]>()
  for (const purchase of product.purchases.values()) {
    const name = payments.get(purchase.signature ?? '')?.agreed?.checkout
    if (purchase.status === 'settled' && name !== undefined) delivered.set(name, [...(delivered.get(name) ?? []), purchase])
  }
  return [...asked].flatMap(([name, wish]) => {
    const [made, another] = checkouts.filter(({ clientReference }) => clientReference === name)
    const purchases = delivered.get(name) ?? []
    const wrongs = made ? wrongsOf(made, wish, purchases) : wish.id === undefined ? [] : ['was made and is lost']
    if (another) wrongs.push('was made twice')
    return wrongs.map((wrong) => `checkout ${made?.id ?? wish.id} ${wrong}`)
  })
}

function wrongsOf(made: Checkout, wish: JournalCheckout, delivered: readonly PurchaseSeen[]): string[] {
  const [purchase, ...others] = delivered
  const wrongs: string[] = []
  if (wish.id !== undefined && made.id !== wish.id) wrongs.push(`was made as ${wish.id}`)
  if (made.status === 'paying') wrongs.push('is still being paid')
  if (wish.isEnded && made.status !== 'expired') wrongs.push(`was ended and is ${made.status}`)
  if (others.length > 0) wrongs.push(`was paid with ${delivered.length} purchases`)
  if (!purchase) {
    if (made.status === 'completed' || made.purchaseId !== null)
      wrongs.push(`is ${made.status} by ${made.purchaseId}, which was not delivered for it`)
    return wrongs
  }
  const { purchaseId, buyer, items, fee } = purchase
  if (made.status !== 'completed' || made.purchaseId !== purchaseId)
    wrongs.push(`is ${made.status}, but purchase ${purchaseId} was delivered for it`)
  const amount = items.reduce((sum, item) => sum + item.amount, 0)
  if (amount !== wish.amount || items.some(({ tokenType }) => tokenType !== wish.tokenType)) {
    wrongs.push(`is for ${wish.amount} ${wish.tokenType}, but brought ${amount} ${items.map(({ tokenType }) => tokenType).join(', ')}`)
  }
  const lamports = items.reduce((sum, item) => sum + BigInt(item.lamports), BigInt(fee.lamports))
  if (wish.maxLamports !== undefined && lamports > wish.maxLamports) {
    wrongs.push(`may cost ${wish.maxLamports} lamports, but purchase ${purchaseId} cost ${lamports}`)
  }
  if (made.lamports !== String(lamports)) wrongs.push(`says that it cost ${made.lamports} lamports instead of ${lamports}`)
  if (made.buyer !== buyer || (wish.wallet !== undefined && wish.wallet !== buyer)) wrongs.push(`was paid by ${buyer}`)
  return wrongs
}
