import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { csvLine } from '../csv.ts'
import { type LedgerEntry } from './profit-query.ts'

/** The header row of a ledger's file. */
export const ledgerHead = csvLine(['time', 'kind', 'item', 'amount', 'SOL', 'fee', 'signature', 'counterparty', 'note', 'id'])

/**
 * Entries as lines of comma-separated values (RFC 4180), each with its line ending. Times are ISO 8601 in UTC. SOL is what the seller
 * received, and the fee what the buyer paid the studio on top; both have all nine decimals.
 */
export function ledgerLines(entries: readonly LedgerEntry[]): string {
  return entries.map(lineOf).join('')
}

function lineOf({ at, kind, tokenType, amount, lamports, feeLamports, signature, counterparty, undone, id }: LedgerEntry): string {
  const note = undone ? 'the network undid the payment: delivered unpaid' : ''
  return csvLine([
    at,
    kind,
    catalogue().nameOf(tokenType),
    amount,
    nineDecimals(lamports),
    nineDecimals(feeLamports),
    signature,
    counterparty ?? 'studio',
    note,
    id,
  ])
}

const SOL_DECIMALS = 9

function nineDecimals(lamports: string): string {
  const value = BigInt(lamports)
  return `${value / LAMPORTS_PER_SOL}.${(value % LAMPORTS_PER_SOL).toString().padStart(SOL_DECIMALS, '0')}`
}
