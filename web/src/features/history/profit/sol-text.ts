import { lamportsToSol } from '@juicebar/contract/money'

import { formatSol } from '../../../ui/format.ts'

/** Lamports of a reply as SOL: "1234500000" becomes "1.2345 SOL". */
export function solOf(lamports: string): string {
  return `${formatSol(lamportsToSol(BigInt(lamports)))} SOL`
}

/** A gain or a loss as SOL with its sign: "−0.01 SOL". */
export function signedSol(lamports: bigint): string {
  const sign = lamports > 0n ? '+' : lamports < 0n ? '−' : ''
  return `${sign}${formatSol(lamportsToSol(lamports < 0n ? -lamports : lamports))} SOL`
}
