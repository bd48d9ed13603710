import { type Case, type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'

import { exactSol } from '../parts/sol.ts'

/** The problem with a payment, in a few words. */
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

/** Whether a case needs action. */
export function isWaiting({ status }: Pick<Case, 'status'>): boolean {
  return status === 'open' || status === 'refunding'
}

/** How what the seller received compares with what was agreed, in lamports: 0n if they are the same; undefined if unknown. */
export function difference({ lamports, agreedLamports }: Pick<Case, 'lamports' | 'agreedLamports'>): bigint | undefined {
  return agreedLamports === null ? undefined : BigInt(lamports) - BigInt(agreedLamports)
}

/** How many cases are listed and how much SOL they are about; `hasMore` if others of the same status are not listed yet. */
export function casesTotal(cases: readonly Pick<Case, 'lamports' | 'status'>[], hasMore: boolean): string {
  const sol = exactSol(cases.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n))
  const count = cases.length === 1 ? '1 case' : `${cases.length} cases`
  const paidBack = cases.every(({ status }) => status === 'refunded')
  return `${hasMore ? 'The latest ' : ''}${count}: ${sol} SOL ${paidBack ? 'paid back' : 'received by sellers'}`
}
