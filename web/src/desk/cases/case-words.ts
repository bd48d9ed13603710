import { type Case, type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'

/** What went wrong with a payment, in a few words. */
export const kindWords: Record<CaseKind, string> = {
  late: 'Paid too late',
  wrong: 'Wrong amount or shape',
  double: 'Paid twice',
  vanished: 'Undone by the chain',
  lost: 'Lost by a restore',
}

export const statusWords: Record<CaseStatus, string> = {
  open: 'Open',
  refunding: 'Being refunded',
  delivered: 'Delivered',
  refunded: 'Refunded',
  closed: 'Closed by the studio',
}

/** Whether a case waits for someone. */
export function isWaiting({ status }: Pick<Case, 'status'>): boolean {
  return status === 'open' || status === 'refunding'
}

/** How what the seller received compares with what was agreed, in lamports: 0n if they are the same; undefined if nobody knows. */
export function difference({ lamports, agreedLamports }: Pick<Case, 'lamports' | 'agreedLamports'>): bigint | undefined {
  return agreedLamports === null ? undefined : BigInt(lamports) - BigInt(agreedLamports)
}
