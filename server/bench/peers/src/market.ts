import { createHash, randomBytes } from 'node:crypto'

import { getAddressDecoder } from '@solana/kit'

/** What a peer is started with. */
export interface PeerSettings {
  databaseUrl: string
  rpcUrl: string
  holdSeconds: number
  /** The name of each kind of drink. */
  tokenNames: Record<string, string>
}

export interface Listing {
  id: string
  seller: string
  tokenType: string
  amount: number
  lamports: bigint
  status: string
  heldBy: string | null
}

export interface Item {
  listingId: string
  seller: string
  tokenType: string
  amount: number
  lamports: bigint
}

export interface Purchase {
  id: string
  buyer: string
  lamports: bigint
  reference: string
  status: string
  signature: string | null
  payBefore: Date
  createdAt: Date
  settledAt: Date | null
  items: Item[]
}

/** A request that is refused. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** Connections to the database, as many as the product has for players. */
export const CONNECTIONS = 10

const NETWORK_FEE = 5_000n
const MOST_HOLDS = 3
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** How the database keeps the token of a session. */
export function hashToken(authorization: string | undefined): string {
  if (!authorization?.startsWith('Bearer ')) throw new Refusal(401, 'UNAUTHORIZED')
  return createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex')
}

export function requireSession<Session extends { expiresAt: Date }>(session: Session | null): Session {
  if (!session || session.expiresAt <= new Date()) throw new Refusal(401, 'SESSION_ENDED')
  return session
}

export function requireId(id: unknown): string {
  if (typeof id !== 'string' || !uuid.test(id)) throw new Refusal(404, 'LISTING_NOT_FOUND')
  return id
}

export interface Hold {
  buyer: string
  blocked: boolean
  listing: Listing | undefined
  open: Purchase[]
  /** Of the buyer's account, in lamports. */
  balance: bigint
}

/** Whether the listing may be held, from rows that are locked. */
export function checkHold({ buyer, blocked, listing, open, balance }: Hold): Listing {
  if (blocked) throw new Refusal(403, 'BLOCKED')
  if (!listing) throw new Refusal(404, 'LISTING_NOT_FOUND')
  if (listing.status !== 'active') throw new Refusal(409, 'LISTING_NOT_ACTIVE')
  if (listing.seller === buyer) throw new Refusal(409, 'OWN_LISTING')
  if (listing.heldBy !== null) throw new Refusal(409, 'LISTING_HELD')
  if (open.length >= MOST_HOLDS) throw new Refusal(409, 'TOO_MANY_HOLDS')
  const committed = open.reduce((sum, { lamports }) => sum + lamports, 0n)
  if (balance < committed + listing.lamports + NETWORK_FEE) throw new Refusal(409, 'INSUFFICIENT_FUNDS')
  return listing
}

/** An address whose private key nobody has. */
export function randomReference(): string {
  return getAddressDecoder().decode(randomBytes(32))
}

export function holdReply(purchase: Purchase, settings: PeerSettings) {
  return {
    transactionDetails: {
      purchaseId: purchase.id,
      ...itemFields(purchase, settings),
      transfers: purchase.items.map(({ seller, lamports }) => ({ to: seller, lamports: String(lamports), kind: 'seller' })),
      reference: purchase.reference,
      payBefore: purchase.payBefore.toISOString(),
      payMillisLeft: Math.max(0, purchase.payBefore.getTime() - Date.now()),
    },
  }
}

export function purchaseReply(purchase: Purchase, settings: PeerSettings) {
  const [item] = purchase.items
  return {
    purchase: {
      purchaseId: purchase.id,
      buyer: purchase.buyer,
      ...itemFields(purchase, settings),
      tokenType: item?.tokenType,
      tokenName: settings.tokenNames[item?.tokenType ?? ''],
      amount: purchase.items.reduce((sum, { amount }) => sum + amount, 0),
      status: purchase.status,
      endReason: null,
      waitsForStudio: false,
      releaseReason: null,
      stage: purchase.status === 'settled' ? 'delivered' : 'none',
      signature: purchase.signature,
      reference: purchase.reference,
      coSigned: false,
      sendsThrough: 'wallet',
      payBefore: purchase.payBefore.toISOString(),
      payMillisLeft: 0,
      cooldownUntil: null,
      earlierChain: false,
      finalized: false,
      createdAt: purchase.createdAt.toISOString(),
      settledAt: purchase.settledAt?.toISOString() ?? null,
    },
  }
}

function itemFields({ items, lamports }: Purchase, { tokenNames }: PeerSettings) {
  return {
    listingId: items[0]?.listingId,
    seller: items[0]?.seller,
    price: solOf(lamports),
    lamports: String(lamports),
    items: items.map((item) => ({
      listingId: item.listingId,
      partOf: null,
      seller: item.seller,
      tokenType: item.tokenType,
      amount: item.amount,
      lamports: String(item.lamports),
      tokenName: tokenNames[item.tokenType],
      price: solOf(item.lamports),
    })),
    fee: { lamports: '0', basisPoints: 0 },
  }
}

function solOf(lamports: bigint): number {
  return Number(lamports) / 1e9
}

/** What open pages are told when a listing is held or sold. */
export function listingEvent(type: 'listing.held' | 'listing.sold', { id, seller, tokenType, amount, lamports }: Listing) {
  const listing = { id, seller, tokenType, amount, lamports: String(lamports), price: solOf(lamports) }
  return { type, audience: [], data: { type, listing } }
}

export function purchaseEvent(purchaseId: string, buyer: string, sellers: readonly string[]) {
  const type = 'purchase.changed'
  return { type, audience: [buyer, ...sellers], data: { type, purchaseId } }
}

export function balanceEvent(wallet: string) {
  return { type: 'balance.changed', audience: [wallet], data: { type: 'balance.changed' } }
}
