import { type Recovery } from '@juicebar/contract/schemas'

/** A recovery's progress. */
export interface RecoveryState {
  part: Recovery['part']
  /** Null until the chain was asked. */
  genesisHash: string | null
  sinceSlot: bigint | null
  /** The database was written at this slot or later: an endpoint must keep at least what has landed since. */
  neededSlot: bigint | null
  blockHeight: bigint | null
  /** It waits until the finalized chain is above this height. */
  expiryHeight: bigint | null
  feeWallets: string[]
  /** Wallets up to this one, in their order, are listed. */
  lastWallet: string
  wallets: number
  walletsListed: number
  transactions: number
  transactionsRead: number
  payments: number
  casesOpened: number
  refunds: string[]
  refundsCount: number
  unchecked: string[]
  uncheckedCount: number
  limits: string[]
}

/** A recovery in the database. */
export interface RecoveryRow extends RecoveryState {
  id: string
  rewindId: string
  /** Up to then the database knows everything. */
  since: Date
  createdAt: Date
  finishedAt: Date | null
  /** How often working on it has failed since its last progress. */
  failures: number
  /** The market is paused until the rewind has ended. */
  isPaused: boolean
}

/** How many findings are kept that are only reported. */
const KEPT = 100

/** The outcome of a recovery: null while it is running. */
export function outcomeOf({ finishedAt, casesOpened, uncheckedCount }: RecoveryRow): Recovery['outcome'] {
  if (finishedAt === null) return null
  if (casesOpened > 0) return 'cases'
  return uncheckedCount > 0 ? 'unchecked' : 'clean'
}

/** A recovery as the studio API shows it. */
export function recoveryReply(row: RecoveryRow): Recovery {
  const { id, part, since, payments, casesOpened, refunds, refundsCount, unchecked, uncheckedCount, limits } = row
  return {
    id,
    status: row.finishedAt === null ? 'running' : 'done',
    part,
    since: since.toISOString(),
    startedAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    outcome: outcomeOf(row),
    marketPaused: row.isPaused,
    progress: {
      blockHeight: row.blockHeight === null ? null : Number(row.blockHeight),
      expiryHeight: row.expiryHeight === null ? null : Number(row.expiryHeight),
      wallets: row.wallets,
      walletsListed: row.walletsListed,
      transactions: row.transactions,
      transactionsRead: row.transactionsRead,
    },
    payments,
    casesOpened,
    refunds,
    refundsCount,
    unchecked,
    uncheckedCount,
    limits,
  }
}

export function withUnchecked<State extends Pick<RecoveryState, 'unchecked' | 'uncheckedCount'>>(
  state: State,
  found: readonly string[],
): State {
  return { ...state, unchecked: [...state.unchecked, ...found].slice(0, KEPT), uncheckedCount: state.uncheckedCount + found.length }
}

export function withRefunds(state: RecoveryState, found: readonly string[]): RecoveryState {
  return { ...state, refunds: [...state.refunds, ...found].slice(0, KEPT), refundsCount: state.refundsCount + found.length }
}

/** The recovery ends although not everything was checked. `reason` says why, in words. */
export function givenUp(state: RecoveryState, reason: string): RecoveryState {
  const wallets = state.wallets - state.walletsListed
  const transactions = state.transactions - state.transactionsRead
  const left = {
    waiting: `all ${state.wallets} wallets`,
    listing: `${wallets} wallets and the transactions of the others`,
    reading: `${transactions} transactions`,
  }
  return withUnchecked(state, [`${left[state.part]}: ${reason}`])
}

/** The newest purchases that the database has, by which this server's `REFERENCE_SECRET` is tested. */
interface Sample {
  sampled: number
  /** Those with a reference made with a secret that this server does not have. */
  otherSecret: number
  /** Those of a version whose references carry no code. */
  earlierVersion: number
}

/** Why payments since the backup may go unrecognised, in sentences. If there are any, the market must not open automatically. */
export function secretProblems({ sampled, otherSecret }: Sample): string[] {
  if (otherSecret === 0) return []
  return [
    `payments for purchases like ${otherSecret} of the newest ${sampled}, whose references were made with another REFERENCE_SECRET: add it on all ` +
      'servers, behind the present one and a comma, and recover again',
  ]
}

/** What no recovery can find, in sentences. */
export function limitsOf({ sampled, earlierVersion, hasFee }: Sample & { hasFee: boolean }): string[] {
  return [
    ...(sampled === 0
      ? [
          'The database has no purchase by which the REFERENCE_SECRET could be checked: with another one than before, nothing is recognised.',
        ]
      : []),
    ...(earlierVersion > 0
      ? [
          `${earlierVersion} of the newest ${sampled} purchases were begun by a version before references had a code: payments for such purchases are not recognised.`,
        ]
      : []),
    hasFee
      ? 'Wallets that listed something for the first time after the backup are found only by payments that the market has signed or that paid a fee.'
      : 'Wallets that listed something for the first time after the backup are not known, and without a fee only payments that the market has signed tell of their sales.',
    'Payments without a reference, from clients that know of none, are not recognised.',
    'What a buyer signs from now on for a purchase that the database has lost is found only by another recovery.',
    'Credits, debits, listings and removals since the backup are not on the chain: send all orders since then again, with the same idempotency keys.',
  ]
}
