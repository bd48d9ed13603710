import webPush from 'web-push'

import { type PushKeys } from './push-key-store.ts'
import { type PushMessage } from './push-message.ts'
import { type Subscription } from './push-subscription.ts'

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
