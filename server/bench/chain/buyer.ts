import { setTimeout as delay } from 'node:timers/promises'

import { createChainClient } from '../../chaos/players/chain-client.ts'
import { signTransfer, type Wallet } from '../../chaos/players/wallet.ts'

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
  const deadline = performance.now() + PATIENCE_MILLIS
  const call = async (path: string, body: unknown): Promise<Answer> => {
    const answer = await post(shop.url + path, buyer, body)
    if (answer.status >= 400) failed(answer.code)
    return answer
  }
  const callUntilAnswered = async (path: string, body: unknown): Promise<Answer> => {
    for (;;) {
      const answer = await call(path, body)
      if (answer.status < 500 || performance.now() > deadline) return answer
      await delay(RETRY_MILLIS)
    }
  }

  const hold = await call(`/api/marketplace/buy/${listingId}`, shop.sends === 'server' ? { sendsThrough: 'server' } : null)
  if (hold.status !== 200) return { kind: 'refused', code: hold.code }
  if (abandons) return { kind: 'abandoned' }
  const { purchaseId, seller, lamports, reference } = readHold(hold.body)
  const relay = { call: async <Result>(method: string, params: readonly unknown[] = []) => (await relayed(method, params)) as Result }
  const relayed = async (method: string, params: readonly unknown[]) => {
    const answer = await callUntilAnswered('/rpc', { jsonrpc: '2.0', id: 1, method, params })
    return answer.body['result']
  }
  const signed = await signTransfer(relay, buyer.wallet, { to: seller, lamports, reference }, 'legacy')
  if (shop.sends === 'wallet') {
    await createChainClient(shop.walletsRpcUrl).call('sendTransaction', [signed.base64, { encoding: 'base64' }])
  } else {
    const sent = await callUntilAnswered(`/api/marketplace/purchases/${purchaseId}/payment`, { transaction: signed.base64 })
    if (sent.status !== 200) return { kind: 'refused', code: sent.code }
  }
  while (performance.now() < deadline) {
    const confirmed = await call('/api/marketplace/confirm-purchase', { listingId, transactionSignature: signed.signature })
    if (confirmed.status === 200) return { kind: 'delivered' }
    if (confirmed.status >= 400 && confirmed.status < 500) return { kind: 'refused', code: confirmed.code }
    await delay(CONFIRM_MILLIS)
  }
  return { kind: 'unfinished' }
}

async function post(url: string, { jwt, address }: Buyer, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${jwt}`, 'x-forwarded-for': address }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const reply: unknown = await response.json()
  const fields = typeof reply === 'object' && reply !== null ? { ...reply } : {}
  return { status: response.status, code: 'code' in fields ? String(fields.code) : '', body: fields }
}

function readHold({ transactionDetails }: Record<string, unknown>) {
  if (typeof transactionDetails !== 'object' || transactionDetails === null) throw new Error('the hold has no transaction details')
  const { purchaseId, seller, lamports, reference } = { ...transactionDetails } as Record<string, unknown>
  return { purchaseId: String(purchaseId), seller: String(seller), lamports: BigInt(String(lamports)), reference: String(reference) }
}
