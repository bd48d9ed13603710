import { ECDH } from 'node:crypto'
import { solText } from '@juicebar/contract/money'
import webPush from 'web-push'
import { type Body } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Outcome } from '../outgoing/post-message.ts'
import { namesPrivateAddress } from '../outgoing/address.ts'

/** Something for a browser to show, as recorded. */
export interface QueuedPush {
  id: string
  kind: 'alert' | 'sale'
  tokenType: string
  /** For an alert, the price of one in lamports; for a sale, how many were sold. */
  quantity: bigint
}

/** The content of a push. All of it is public, except for whom it is sent to. */
export interface PushMessage {
  title: string
  body: string
  /** If several have the same tag, a browser shows the last: a push that is sent twice is shown once. */
  tag: string
  /** The address that a click opens, on the market's origin. */
  url: string
}

/** The text of a push; undefined if the item is no longer in the catalogue. */
export function pushMessage({ id, kind, tokenType, quantity }: QueuedPush, { item }: Pick<Catalogue, 'item'>): PushMessage | undefined {
  const name = item(tokenType)?.name
  if (name === undefined) return undefined
  const tag = id.replaceAll('-', '')
  if (kind === 'sale')
    return { title: `You sold ${quantity.toLocaleString('en-US')} ${name}`, body: 'Your SOL is in your wallet.', tag, url: '/' }
  return {
    title: `${name} for ${solText(quantity)} SOL`,
    body: 'The price that you wait for is on the market.',
    tag,
    url: `/drink/${tokenType}`,
  }
}

/** `gone`: the browser no longer takes any. `refused`: this one is refused for good. */
export type AfterPush = 'sent' | 'gone' | 'refused' | 'retry'

/** The push service knows no such subscription (any more): RFC 8030, section 7.3. */
const gone = new Set([404, 410])
/** Too early, too many requests, or a time-out. */
const passing = new Set([408, 425, 429])

/** The consequence of a push service's answer. Redirects are not followed and count as refusals. */
export function afterPush({ status }: Pick<Outcome, 'status'>): AfterPush {
  if (status === null || status >= 500 || passing.has(status)) return 'retry'
  if (status >= 200 && status < 300) return 'sent'
  return gone.has(status) ? 'gone' : 'refused'
}

/** The key pair of the market, each in URL-safe base64. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/** Every decrypted push has this length, so that its length reveals nothing. */
const CONTENT_BYTES = 512

/** A new key pair on P-256. */
export function newPushKeys(): PushKeys {
  return webPush.generateVAPIDKeys()
}

/** The contact for push services about this market's pushes, as a URL (RFC 8292). */
export function pushContact({ publicOrigin, securityContact }: { publicOrigin: string; securityContact: string | undefined }): string {
  if (securityContact && /^(?:mailto|https):/.test(securityContact)) return securityContact
  return publicOrigin.startsWith('https:') ? publicOrigin : `mailto:market@${new URL(publicOrigin).hostname}`
}

export interface PushSender {
  keys: PushKeys
  contact: string
}

interface PushOrder {
  message: PushMessage
  /** How long the push service keeps it for an offline browser. */
  seconds: number
}

/**
 * The request that makes a browser show a message, encrypted for that browser alone (RFC 8291) and signed with the market's key (RFC 8292).
 * @throws Error if the browser's keys are invalid
 */
export function pushRequest({ endpoint, p256dh, auth }: Subscription, { message, seconds }: PushOrder, { keys, contact }: PushSender) {
  const content = JSON.stringify(message)
  const padding = Math.max(0, CONTENT_BYTES - Buffer.byteLength(content))
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, content + ' '.repeat(padding), {
    vapidDetails: { subject: contact, ...keys },
    TTL: seconds,
    urgency: 'normal',
    topic: message.tag,
    contentEncoding: 'aes128gcm',
  })
  return {
    url: endpoint,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: body ?? Buffer.alloc(0),
  }
}

/** Where a browser's push service takes messages for it, and the keys that encrypt them. */
export interface Subscription {
  endpoint: string
  /** The browser's public key on P-256, uncompressed, in URL-safe base64. */
  p256dh: string
  /** 16 random bytes, in URL-safe base64. */
  auth: string
}

const base64url = /^[\w-]+={0,2}$/
const AUTH_BYTES = 16
const POINT_BYTES = 65

/**
 * Refuses invalid subscriptions, and literal private addresses, however they are written. The addresses of a name are checked on each
 * connection.
 * @throws PUSH_SUBSCRIPTION_INVALID
 */
export function readSubscription({ endpoint, keys: { p256dh, auth } }: Body<'subscribePush'>): Subscription {
  const refuse = (detail: string) => new Failure('PUSH_SUBSCRIPTION_INVALID', { detail })
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'https:') throw refuse('its address must be an https URL.')
  if (url.username || url.password) throw refuse('its address must not contain a user name or a password.')
  if (namesPrivateAddress(url)) throw refuse('its address is not a public one.')
  if (!isPoint(p256dh)) throw refuse('its public key is no point on P-256.')
  if (!base64url.test(auth) || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) throw refuse('its secret has not 16 bytes.')
  return { endpoint: url.href, p256dh, auth }
}

function isPoint(text: string): boolean {
  if (!base64url.test(text) || Buffer.from(text, 'base64url').length !== POINT_BYTES) return false
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url', undefined, 'uncompressed')
    return true
  } catch {
    return false
  }
}
