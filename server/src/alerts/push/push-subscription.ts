import { ECDH } from 'node:crypto'

import { type Body } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'

import { isPublicAddress, literalAddress } from '../../outgoing/address.ts'

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
  const literal = literalAddress(url)
  if (literal !== undefined && !isPublicAddress(literal)) throw refuse('its address is not a public one.')
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
