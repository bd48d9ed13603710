import { createHash } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { endpoints } from '@juicebar/contract/endpoints'
import { type SignedCall, signedCalls } from '@juicebar/contract/endpoints/signed'
import { type ErrorCode, Failure } from '@juicebar/contract/errors'
import { staffScopes, type Scope, scopes as allScopes } from '@juicebar/contract/scopes'
import { type Reply } from '@juicebar/contract/calls'
import { type StudioKey } from '../../http/credentials.ts'

/** A call that a wallet signs. */
export interface SignedAction {
  name: SignedCall
  /** The wallet or the identifier in its path. */
  subject: string
  /** Of its body and its query, in the form of the call's schemas. */
  fields: Readonly<Record<string, unknown>>
}

/** What a signature is for: one call of one wallet, with these bytes. */
export interface Signed {
  walletAddress: WalletAddress
  /** Method and path, with its query. */
  call: string
  /** SHA-256. */
  bodyHash: Buffer
}

/** A challenge as stored. */
export interface ChallengeRow extends Omit<Signed, 'walletAddress'> {
  walletAddress: string
  message: string
  isUsed: boolean
  isExpired: boolean
}

/** Longer texts are pointless, because a wallet does not show them. */
const MAX_SHOWN = 200
/** Characters that could start a new line, change the direction of the text or be invisible. */
const misleading = /[\p{C}\p{Zl}\p{Zp}]/gu
const printable = /^[\x21-\x7e]+$/

const patterns = signedCalls.map((name) => {
  const pattern = endpoints[name].replace(/:\w+/, '([\\w-]+)')
  return { name, pattern: new RegExp(`^${pattern}(?:\\?.*)?$`) }
})

/** The signed call that has this method and path; undefined if no such call needs a signature. */
export function findSignedCall(call: { method: string; path: string }): Omit<SignedAction, 'fields'> | undefined {
  if (!printable.test(call.path)) return undefined
  for (const { name, pattern } of patterns) {
    const found = pattern.exec(`${call.method} ${call.path}`)
    if (found) return { name, subject: found[1] ?? '' }
  }
  return undefined
}

/** Of the bytes that a call sends; of no bytes if it has no body. */
export function hashBody(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * The text that a wallet signs: all that the call does, but for orders beyond the largest ten, which it counts. No sign-in message and no
 * transaction begins like it. `market` is the product's name and host.
 */
export function challengeMessage(market: string, id: string, action: SignedAction & Pick<Signed, 'call' | 'bodyHash'>): string {
  const { reason } = action.fields
  return [
    `Confirm at the studio desk of ${market}`,
    ...actionLines(action),
    ...(typeof reason === 'string' ? [`Reason: ${quoted(reason)}`] : []),
    '',
    action.call,
    `SHA-256 of the body: ${action.bodyHash.toString('hex')}`,
    `Challenge: ${id}`,
  ].join('\n')
}

/** What a call does, in words, without its reason. */
function actionLines({ name, subject, fields }: SignedAction): string[] {
  switch (name) {
    case 'studioCredit':
      return [orderLine({ ...fields, direction: 'credit' })]
    case 'studioDebit':
      return [orderLine({ ...fields, direction: 'debit' })]
    case 'studioOrders':
      return ordersLines(Array.isArray(fields['orders']) ? fields['orders'] : [])
    case 'createStudioKey':
      return [
        `Create the studio key ${quoted(fields['name'])} with the scopes ${list(fields['scopes'])}`,
        `Most credits a day: ${plain(fields['dailyCreditLimit'] ?? 'without limit')}`,
        `Valid until: ${plain(fields['expiresAt'] ?? 'it is revoked')}`,
        `Replaces the key: ${plain(fields['replaces'] ?? 'none')}`,
      ]
    case 'revokeStudioKey':
      return [`Revoke the studio key ${subject}`]
    case 'setStaff':
      return [
        `Add ${subject} to the staff${fields['name'] === undefined ? '' : ` as ${quoted(fields['name'])}`} with the scopes ${list(fields['scopes'] ?? staffScopes)}`,
      ]
    case 'removeStaff':
      return [`Remove ${subject} from the staff`]
    case 'releasePurchase':
      return [`Release the hold ${subject} as unpaid`]
    case 'acceptRecovery':
      return [`Open the market although the recovery ${subject} could not check everything`]
    case 'createWebhook':
      return [`Have ${list(fields['events'])} posted to ${quoted(fields['url'])}`]
    case 'rotateWebhook':
      return [`Rotate the secret of the webhook ${subject}`]
  }
}

/** As many as a wallet shows, and a person reads. */
const MAX_SHOWN_ORDERS = 10

type OrderFields = Readonly<Record<string, unknown>> & { direction: 'credit' | 'debit' }

/** The largest are shown, so that nothing that matters can hide among many. What is no order is refused, and moves nothing. */
function ordersLines(items: readonly unknown[]): string[] {
  const orders = items.filter(isOrder)
  const totals = (['credit', 'debit'] as const).map((direction) => {
    const amounts = orders.filter((order) => order.direction === direction).map(amountOf)
    return `${amounts.length} ${direction}s of ${amounts.reduce((sum, amount) => sum + amount, 0)} tokens`
  })
  const wallets = new Set(orders.map((order) => order['walletAddress'])).size
  const isShort = orders.length <= MAX_SHOWN_ORDERS
  const shown = isShort ? orders : orders.toSorted((a, b) => amountOf(b) - amountOf(a)).slice(0, MAX_SHOWN_ORDERS)
  return [
    `Post ${items.length} orders: ${totals.join(', ')}, for ${wallets} wallets`,
    ...shown.map((order) => orderLine(order) + (order['reason'] === undefined ? '' : `, reason ${quoted(order['reason'])}`)),
    ...(isShort ? [] : [`and ${orders.length - shown.length} smaller ones, for which the SHA-256 of the body stands`]),
  ]
}

function isOrder(item: unknown): item is OrderFields {
  return typeof item === 'object' && item !== null && 'direction' in item && (item.direction === 'credit' || item.direction === 'debit')
}

function amountOf({ amount }: OrderFields): number {
  return typeof amount === 'number' ? amount : 0
}

function orderLine({ direction, amount, tokenType, walletAddress, idempotencyKey }: OrderFields): string {
  const [verb, way] = direction === 'credit' ? (['Credit', 'to'] as const) : (['Debit', 'from'] as const)
  return `${verb} ${plain(amount)} ${plain(tokenType)} ${way} ${plain(walletAddress)}, idempotency key ${quoted(idempotencyKey)}`
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(plain).join(', ') : plain(value)
}

function plain(value: unknown): string {
  const text = String(value)
  return shorten(text) + restOf(text)
}

function quoted(value: unknown): string {
  const text = String(value)
  return JSON.stringify(shorten(text)) + restOf(text)
}

function shorten(text: string): string {
  return text.slice(0, MAX_SHOWN).replaceAll(misleading, '�')
}

function restOf(text: string): string {
  return text.length > MAX_SHOWN ? ` and ${text.length - MAX_SHOWN} more characters` : ''
}

/** Why a challenge is not valid for a call; undefined if it is, and the wallet has signed its message. */
export function challengeRefusal(
  found: ChallengeRow | undefined,
  asked: Signed,
  isSigned: (message: string) => boolean,
): ErrorCode | undefined {
  if (!found) return 'CHALLENGE_NOT_FOUND'
  if (found.walletAddress !== asked.walletAddress) return 'CHALLENGE_WALLET_DIFFERS'
  if (found.call !== asked.call) return 'CHALLENGE_CALL_DIFFERS'
  if (!found.bodyHash.equals(asked.bodyHash)) return 'CHALLENGE_BODY_DIFFERS'
  if (!isSigned(found.message)) return 'CHALLENGE_SIGNATURE_INVALID'
  if (found.isUsed) return 'CHALLENGE_USED'
  return found.isExpired ? 'CHALLENGE_EXPIRED' : undefined
}

type Staff = Reply<'setStaff'>['staff']

/** The requested changes for a wallet. */
export interface StaffWish {
  wallet: WalletAddress
  name: string | null
  scopes: readonly Scope[]
}

/** The latest change to a wallet by a call. */
export interface StaffRow {
  walletAddress: string
  name: string | null
  scopes: Scope[]
  setBy: string
  setAt: Date
  removedAt: Date | null
}

/**
 * What a wallet may do at the desk: the scopes from the latest call, otherwise everything if the setting names it.
 * @param row undefined if no call has changed it
 * @returns undefined if it is not on the staff
 */
export function staffOf(wallet: string, row: StaffRow | undefined, named: ReadonlySet<string>): Staff | undefined {
  if (!row)
    return named.has(wallet) ? { wallet, name: null, scopes: [...allScopes], source: 'setting', addedAt: null, addedBy: null } : undefined
  if (row.removedAt) return undefined
  return { wallet, name: row.name, scopes: row.scopes, source: 'call', addedAt: row.setAt.toISOString(), addedBy: row.setBy }
}

/**
 * Nobody can grant what they do not have: neither a scope, nor credits beyond the daily limit of their key, nor access beyond its expiry,
 * nor power over other keys than those below it, because staff have no such bounds.
 * @throws STAFF_TOO_POWERFUL
 */
export function requireNoMoreThan(maker: StudioKey, wish: StaffWish): void {
  const beyond = wish.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (beyond.length > 0) throw new Failure('STAFF_TOO_POWERFUL', { detail: `the scope ${beyond.join(', ')} is missing.` })
  if (maker.kind !== 'key') return
  if (wish.scopes.includes('admin')) {
    throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key ends only keys that are below it, and the staff ends any.' })
  }
  if (maker.expiresAt !== null) throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key expires, and the staff does not.' })
  if (maker.dailyCreditLimit !== null && wish.scopes.includes('credit')) {
    throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key has a daily limit, and the staff credits without one.' })
  }
}
