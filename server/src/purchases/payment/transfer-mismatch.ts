/** The lamports of an agreed transfer, or of one that was made. */
export interface PlannedTransfer {
  to: string
  lamports: bigint
}

/**
 * How the transfers that were made differ from those that were agreed. missing: an agreed one was not made. extra: one was made once too
 * often. amount: one pays its recipient a different amount. recipient: one pays someone who is not in the terms.
 */
export interface TransferMismatch extends PlannedTransfer {
  kind: 'missing' | 'extra' | 'amount' | 'recipient'
}

/** Compares transfers in any order. @returns the first mismatch; undefined if each agreed transfer was made once, and no other. */
export function findMismatch(agreed: readonly PlannedTransfer[], made: readonly PlannedTransfer[]): TransferMismatch | undefined {
  const missing = [...agreed]
  const others = made.filter(({ to, lamports }) => {
    const index = missing.findIndex((transfer) => transfer.to === to && transfer.lamports === lamports)
    if (index !== -1) missing.splice(index, 1)
    return index === -1
  })
  const [other] = others
  const [first] = missing
  if (!other) return first && { kind: 'missing', ...plan(first) }
  if (!agreed.some(({ to }) => to === other.to)) return { kind: 'recipient', ...plan(other) }
  return { kind: missing.some(({ to }) => to === other.to) ? 'amount' : 'extra', ...plan(other) }
}

function plan({ to, lamports }: PlannedTransfer): PlannedTransfer {
  return { to, lamports }
}
