import { createHash } from 'node:crypto'

import { base58, base64 } from '@scure/base'

const SIGNATURE_BYTES = 64

/** The transactions that the proxy hands on, told apart as validators do it: by their messages. The local chain takes each copy of one. */
export interface SentMessages {
  /** Has the message land under another signature of its payer: the second one that somebody knows. */
  sendInstead(signature: string, other: string): void
  /** @returns the transaction to hand on, in base64; undefined if the same message was handed on under another signature */
  handOn(transaction: string): string | undefined
}

export function createSentMessages(): SentMessages {
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
      const sent = first.get(message) ?? others.get(signature) ?? signature
      first.set(message, sent)
      if (sent === signature) return transaction
      if (others.get(signature) !== sent) return undefined
      bytes.set(base58.decode(sent), 1)
      return base64.encode(bytes)
    },
  }
}
