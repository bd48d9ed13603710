import { createHash } from 'node:crypto'

import { base58, base64 } from '@scure/base'

const SIGNATURE_BYTES = 64

/** The transactions that the proxy hands on. */
export interface SentMessages {
  /** Has the message land under another signature of its payer: the second one that somebody knows. */
  sendInstead(signature: string, other: string): void
  /** @returns the transaction to hand on, in base64; undefined if validators would not take it, as they have its message already */
  handOn(transaction: string): string | undefined
}

/**
 * @param tellsApart whether the chain itself tells transactions apart by their messages, as validators do: the local one takes each copy
 */
export function createSentMessages({ tellsApart }: { tellsApart: boolean }): SentMessages {
  const others = new Map<string, string>()
  const first = new Map<string, string>()
  return {
    sendInstead: (signature, other) => void others.set(signature, other),
    handOn: (transaction) => {
      const bytes = base64.decode(transaction)
      const message = createHash('sha256')
        .update(bytes.subarray(1 + SIGNATURE_BYTES * (bytes[0] ?? 0)))
        .digest('hex')
      const signature = base58.encode(bytes.subarray(1, 1 + SIGNATURE_BYTES))
      const sent = (tellsApart ? undefined : first.get(message)) ?? others.get(signature) ?? signature
      first.set(message, sent)
      if (sent === signature) return transaction
      if (others.get(signature) !== sent) return undefined
      bytes.set(base58.decode(sent), 1)
      return base64.encode(bytes)
    },
  }
}
