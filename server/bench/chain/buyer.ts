import { setTimeout as delay } from 'node:timers/promises'

import { createChainClient } from '../../chaos/players/chain-client.ts'
import { signTransfers, type Wallet } from '../../chaos/players/wallet.ts'

export interface Buyer {
  wallet: Wallet
  jwt: string
  /** The forwarded address that the buyer calls from, since limits count by address. */
  address: string
}

export interface Shop {
  /** The product's origin. */
  url: string
  sends: 'server' | 'wallet'
  /** The RPC URL of wallets that send by themselves. */
  walletsRpcUrl: string
}

/** How a purchase ended for its buyer. `code` is the error code of the call that ended it. */
export type Outcome = { kind: 'delivered' | 'abandoned' | 'unfinished' } | { kind: 'refused'; code: string }

interface Answer {
  status: number
  code: string
  body: Record<string, unknown>
}

/** As the web app does while it waits for a delivery. */
const CONFIRM_MILLIS = 1_200
const RETRY_MILLIS = 500
/** Longer than a hold and the life of a blockhash. */
const PATIENCE_MILLIS = 150_000

/**
 * Buys a listing as the web app does: hold, latest blockhash through the relay, signature, payment, confirm until delivered. Whoever
 * abandons the purchase leaves after the hold.
 *
 * @param failed called with the error code of every reply that is an error.
 */
export async function buyListing(
  shop: Shop,
  buyer: Buyer,
  listingId: string,
  { abandons, failed }: { abandons: boolean; failed: (code: string) => void },
): Promise<Outcome> {
  const api = createApi(shop, buyer, failed)
  const hold = await api.call(`/api/marketplace/buy/${listingId}`, null)
  if (hold.status !== 200) return { kind: 'refused', code: hold.code }
  if (abandons) return { kind: 'abandoned' }
  const { purchaseId, reference, ...transfer } = readHold(hold.body)
  const relay = await api.callUntilAnswered('/rpc', {
    jsonrpc: '2.0',
    id: 1,
    method: 'getLatestBlockhash',
    params: [{ commitment: 'confirmed' }],
  })
  if (relay.status !== 200) return { kind: 'unfinished' }
  const answered = { call: async <Result>() => relay.body['result'] as Result }
  const { base64: transaction, signature } = await signTransfers(answered, buyer.wallet, [transfer], reference, 'legacy')
  if (shop.sends === 'wallet') {
    await createChainClient(shop.walletsRpcUrl).call('sendTransaction', [transaction, { encoding: 'base64' }])
  } else {
    const sent = await api.callUntilAnswered(`/api/marketplace/purchases/${purchaseId}/payment`, { transaction })
    if (sent.status !== 200) return { kind: 'refused', code: sent.code }
  }
  return confirm(api, { listingId, transactionSignature: signature })
}

type Api = ReturnType<typeof createApi>

function createApi({ url }: Shop, buyer: Buyer, failed: (code: string) => void) {
  const deadline = performance.now() + PATIENCE_MILLIS
  const isOver = () => performance.now() > deadline
  const call = async (path: string, body: unknown): Promise<Answer> => {
    const answer = await post(url + path, buyer, body)
    if (answer.status >= 400) failed(answer.code)
    return answer
  }
  const callUntilAnswered = async (path: string, body: unknown): Promise<Answer> => {
    for (;;) {
      const answer = await call(path, body)
      if (answer.status < 500 || isOver()) return answer
      await delay(RETRY_MILLIS)
    }
  }
  return { call, callUntilAnswered, isOver }
}

async function confirm(api: Api, payment: { listingId: string; transactionSignature: string }): Promise<Outcome> {
  while (!api.isOver()) {
    const confirmed = await api.call('/api/marketplace/confirm-purchase', payment)
    if (confirmed.status === 200) return { kind: 'delivered' }
    if (confirmed.status >= 400 && confirmed.status < 500) return { kind: 'refused', code: confirmed.code }
    await delay(CONFIRM_MILLIS)
  }
  return { kind: 'unfinished' }
}

const noAnswer: Answer = { status: 504, code: 'NO_ANSWER', body: {} }

async function post(url: string, { jwt, address }: Buyer, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${jwt}`, 'x-forwarded-for': address }
  try {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const reply: unknown = await response.json()
    const fields = typeof reply === 'object' && reply !== null ? { ...reply } : {}
    return { status: response.status, code: 'code' in fields ? String(fields.code) : '', body: fields }
  } catch {
    return noAnswer
  }
}

/** The purchase, and the transfer that pays for it. */
function readHold({ transactionDetails }: Record<string, unknown>) {
  if (typeof transactionDetails !== 'object' || transactionDetails === null) throw new Error('the hold has no transaction details')
  const { purchaseId, seller, lamports, reference } = { ...transactionDetails } as Record<string, unknown>
  return { purchaseId: String(purchaseId), to: String(seller), lamports: BigInt(String(lamports)), reference: String(reference) }
}
