import { type PublicConfig } from '@juicebar/contract/schemas'
import { onTestFinished, vi } from 'vitest'

import { runPurchase } from '../../src/features/purchase/carry-out.ts'
import { type Order, orderItemOf } from '../../src/features/purchase/order/order.ts'
import { signedOut, useSession } from '../../src/session/session-store.ts'
import { useWallet } from '../../src/wallet/wallet-store.ts'
import { listing } from './listing.ts'

export const offered = listing({ price: 0.5 })
export const order: Order = { items: [orderItemOf(offered, offered.amount)], fee: 0n, origin: 'chosen' }
export const buyer = 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC'
export const address = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'

/** What the server asks for the order, of a hold and of an offer alike. */
const terms = {
  items: [{ ...orderItemOf(offered, offered.amount), partOf: null, price: 0.5, lamports: '500000000' }],
  transfers: [{ to: offered.seller, lamports: '500000000', kind: 'seller' }],
  fee: { lamports: '0', basisPoints: 0 },
  reference: address,
}
export const hold = { ...terms, purchaseId: 'purchase-1', listingId: offered._id, payMillisLeft: 60_000 }
export const offer = {
  ...terms,
  lamports: '500000000',
  coSigner: 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8',
  blockhash: address,
  lastValidBlockHeight: 150,
}
export const settled = { purchaseId: 'purchase-1', status: 'settled', stage: 'delivered', signature: null }
const blockhash = { value: { blockhash: address, lastValidBlockHeight: 150 } }

export const BUY = 'POST /api/marketplace/purchases'
export const SUBMIT = 'POST /api/marketplace/purchases/purchase-1/payment'
export const CONFIRM = 'POST /api/marketplace/confirm-purchase'
export const CANCEL = 'DELETE /api/marketplace/purchases/purchase-1'
export const OFFER = 'POST /api/marketplace/offers'
export const PAY = 'POST /api/marketplace/payments'
export const READ = 'GET /api/marketplace/purchases/purchase-1'

export type Answer = object | (() => Response)
type Sign = (input: { transaction: Uint8Array }) => Promise<object[]>

/** A call that the server has got. */
export interface Call {
  name: string
  body: Record<string, unknown>
}

interface Opened {
  /** The names of the calls that the server has got. */
  calls: string[]
  made: Call[]
  stored: Map<string, string>
}

/**
 * A server that answers each call with what `replies` has for it, and a wallet that signs as `sign` does, or that only sends by itself if
 * there is no `sign`.
 */
export function openMarket(sign: Sign | undefined, replies: Record<string, Answer> = {}): Opened {
  const all: Record<string, Answer> = {
    [BUY]: { transactionDetails: hold },
    'POST /rpc': { result: blockhash },
    [SUBMIT]: { signature: 'signature' },
    [CONFIRM]: { purchase: settled },
    [CANCEL]: { purchase: { ...settled, status: 'ended' } },
    [OFFER]: { offer },
    [PAY]: { purchaseId: 'purchase-1', signature: 'signature' },
    [READ]: { purchase: settled },
    ...replies,
  }
  const made: Call[] = []
  const calls: string[] = []
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('sessionStorage', storage)
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    const name = `${method} ${url}`
    calls.push(name)
    made.push({ name, body: JSON.parse(typeof body === 'string' ? body : '{}') as Record<string, unknown> })
    const reply = all[name] ?? broken
    return typeof reply === 'function' ? (reply as () => Response)() : Response.json(reply)
  })
  connect(sign)
  onTestFinished(() => {
    vi.unstubAllGlobals()
    useWallet.setState({ connected: undefined })
    useSession.setState(signedOut)
  })
  return { calls, made, stored }
}

function connect(sign: Sign | undefined): void {
  const sends = { supportedTransactionVersions: [0], signAndSendTransaction: async () => [{ signature: new Uint8Array(64).fill(1) }] }
  const features = sign
    ? { 'solana:signTransaction': { supportedTransactionVersions: [0], signTransaction: sign } }
    : { 'solana:signAndSendTransaction': sends }
  const connected = { wallet: { name: 'Phantom', chains: [], features }, account: { address: buyer }, connection: 1 }
  useWallet.setState({ connected: connected as never })
  useSession.setState({ authorization: 'signed-in', user: { walletAddress: buyer } as never })
}

/** The settings of a market that co-signs. */
export const coSigning = { network: 'localnet', coSigner: offer.coSigner, walletSends: 'any' } as PublicConfig

interface Options {
  wanted?: Order
  config?: PublicConfig
  /** What the settings are when they are read again. */
  newConfig?: PublicConfig
  opensByItself?: boolean
  untilPressed?: () => Promise<void>
}

/** Runs a purchase; by default, of a wallet that may open by itself, in a market that co-signs. */
export function run({ wanted = order, config = coSigning, newConfig = config, opensByItself = true, untilPressed }: Options = {}) {
  const progress: object[] = []
  const cancellation = new AbortController()
  const outcome = runPurchase({
    order: wanted,
    config,
    reloadConfig: async () => newConfig,
    opensByItself,
    untilPressed: untilPressed ?? (() => Promise.reject(new Error('nobody was to press anything'))),
    signal: cancellation.signal,
    onProgress: (change) => progress.push(change),
  })
  // A failure is looked at when the test is ready for it.
  outcome.catch(() => undefined)
  return { progress, outcome, cancellation }
}

/** What a proxy sends when the server behind it is broken. */
export const broken = () => new Response(null, { status: 500 })
export const refused = (status: number, code: string, retryAfter?: number) => () =>
  Response.json({ error: `${code}.`, code }, { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } })

/** Answers with one reply after the other, the last one again and again. */
export function inTurn(...replies: Answer[]): () => Response {
  return () => {
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    return typeof reply === 'function' ? (reply as () => Response)() : Response.json(reply)
  }
}

export const signs: Sign = async () => [{ signedTransaction: new Uint8Array([1]) }]
export const fails = (code: number): Sign => {
  return async () => {
    throw Object.assign(new Error('no'), { code })
  }
}
