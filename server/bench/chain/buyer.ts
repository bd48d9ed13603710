import { setTimeout as delay } from 'node:timers/promises'

import { createChainClient } from '../../chaos/players/chain-client.ts'
import { signTransfers } from '../../chaos/players/wallet.ts'
import { type Buyer, type BuyerApi, createBuyerApi } from './buyer-api.ts'
import { type OfferedPayment, signOffer } from './sign-offer.ts'

/** Who sends the payment: only the market can, the wallet does, or nobody, since the buyer holds and leaves. */
export type Sender = 'market' | 'wallet' | 'nobody'

export interface Shop {
  /** The product's origin. */
  url: string
  sends: Sender
  /** The RPC URL of wallets that send by themselves. */
  walletsRpcUrl: string
}

/** How a purchase ended for its buyer. `code` is the error code of the call that ended it. */
export type Outcome = { kind: 'delivered' | 'abandoned' | 'unfinished' } | { kind: 'refused'; code: string }

/** As the web app does while it waits for a delivery. */
const ASK_MILLIS = 1_200

interface Manner {
  /** The buyer leaves after the offer or the hold. */
  abandons: boolean
  /** Called with the error code of every reply that is an error. */
  failed: (code: string) => void
}

/** Buys a listing as the web app does. */
export function buyListing({ url, sends, walletsRpcUrl }: Shop, buyer: Buyer, listingId: string, manner: Manner): Promise<Outcome> {
  const api = createBuyerApi(url, buyer, manner.failed)
  if (sends === 'market') return buyByOffer(api, buyer, listingId, manner)
  return buyByHold(api, buyer, listingId, { abandons: manner.abandons || sends === 'nobody', walletsRpcUrl })
}

/** Offer, signature, payment; then asks about the purchase until it is closed. */
async function buyByOffer(api: BuyerApi, { wallet }: Buyer, listingId: string, { abandons }: Manner): Promise<Outcome> {
  const items = [{ listingId }]
  const offered = await api.post('/api/marketplace/offers', { items })
  if (offered.status !== 200) return { kind: 'refused', code: offered.code }
  if (abandons) return { kind: 'abandoned' }
  // The contract says so.
  const offer = offered.body['offer'] as OfferedPayment
  const payment = { items, reference: offer.reference, transaction: await signOffer(wallet, offer) }
  const paid = await api.postUntilAnswered('/api/marketplace/payments', payment)
  if (paid.status !== 201 && paid.status !== 200) return { kind: 'refused', code: paid.code }
  while (!api.isOver()) {
    const { body } = await api.get(`/api/marketplace/purchases/${String(paid.body['purchaseId'])}`)
    const status = (body['purchase'] as { status: string } | undefined)?.status
    if (status === 'settled') return { kind: 'delivered' }
    if (status === 'ended') return { kind: 'refused', code: status }
    await delay(ASK_MILLIS)
  }
  return { kind: 'unfinished' }
}

/** Hold, latest blockhash through the relay, signature; the wallet sends; then confirms until it is delivered. */
async function buyByHold(
  api: BuyerApi,
  { wallet }: Buyer,
  listingId: string,
  { abandons, walletsRpcUrl }: { abandons: boolean; walletsRpcUrl: string },
): Promise<Outcome> {
  const hold = await api.post(`/api/marketplace/buy/${listingId}`, null)
  if (hold.status !== 200) return { kind: 'refused', code: hold.code }
  if (abandons) return { kind: 'abandoned' }
  const { reference, ...transfer } = readHold(hold.body)
  const asked = { jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] }
  const relay = await api.postUntilAnswered('/rpc', asked)
  if (relay.status !== 200) return { kind: 'unfinished' }
  const answered = { call: async <Result>() => relay.body['result'] as Result }
  const { base64: transaction, signature } = await signTransfers(answered, wallet, [transfer], reference, 'legacy')
  await createChainClient(walletsRpcUrl).call('sendTransaction', [transaction, { encoding: 'base64' }])
  return confirm(api, { listingId, transactionSignature: signature })
}

async function confirm(api: BuyerApi, payment: { listingId: string; transactionSignature: string }): Promise<Outcome> {
  while (!api.isOver()) {
    const confirmed = await api.post('/api/marketplace/confirm-purchase', payment)
    if (confirmed.status === 200) return { kind: 'delivered' }
    if (confirmed.status >= 400 && confirmed.status < 500) return { kind: 'refused', code: confirmed.code }
    await delay(ASK_MILLIS)
  }
  return { kind: 'unfinished' }
}

/** The transfer that pays for the purchase, and its reference. */
function readHold({ transactionDetails }: Record<string, unknown>) {
  if (typeof transactionDetails !== 'object' || transactionDetails === null) throw new Error('the hold has no transaction details')
  const { seller, lamports, reference } = { ...transactionDetails } as Record<string, unknown>
  return { to: String(seller), lamports: BigInt(String(lamports)), reference: String(reference) }
}
