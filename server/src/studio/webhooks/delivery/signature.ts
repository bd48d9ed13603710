import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32

/** A new secret, as the receiver is given it. */
export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

export interface SignedContent {
  /** The `webhook-id`. */
  id: string
  /** The `webhook-timestamp`, in seconds since 1970. */
  timestamp: number
  body: string
}

/** The `webhook-signature` of a message: one signature for each secret. */
export function signMessage(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  const content = `${id}.${timestamp}.${body}`
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(content)
      .digest('base64')
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ')
}
