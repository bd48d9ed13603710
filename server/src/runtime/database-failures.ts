import { Failure, type ErrorCode } from '@juicebar/contract/errors'

/**
 * SQLSTATEs, or their beginnings, of temporary failures (PostgreSQL, appendix A): connection lost, out of connections, disk or memory,
 * shutting down or starting up, statement timed out, lock not available, a read-only standby, and conflicts that outlasted all
 * retries.
 */
const temporaryStates = ['08', '53', '57P', '57014', '55P03', '25006', '40001', '40003', '40P01', '25P03']

/** SQLSTATEs (PostgreSQL, appendix A). */
export const FEATURE_NOT_SUPPORTED = '0A000'
export const DEADLOCK = '40P01'
/** PostgreSQL's refusal to read an unlogged table on a standby, which has none of its rows: the nonces of sign-ins. */
const READS_UNLOGGED_ON_STANDBY = 'get_relation_info'

const networkErrors = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]

/** Messages of `pg` and `pg-pool` errors that have no code. */
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|Cannot use a pool after calling end)/

/** Whether an error, or its cause, means that the database cannot be reached or cannot answer for now. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof Failure) return error.code === 'DATABASE_DOWN'
  if (driverMessages.test(error.message) || isOutageCode(error)) return true
  if (error instanceof AggregateError && error.errors.some(isDatabaseOutage)) return true
  return isDatabaseOutage(error.cause)
}

/** SQLSTATEs, or their beginnings, of a connection that was lost after it had been made. */
const lostStates = ['08000', '08003', '08006', '08007', '40003', '57P01', '57P02']
const lostSockets = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT']
const lostMessages = /^(Connection terminated(?! due to connection timeout)|Client has encountered a connection error|Query read timeout)/

/**
 * Whether the outcome of the statement that failed with this error (or its cause) is unknown: its connection was lost, perhaps after the
 * database had committed it.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (lostMessages.test(error.message)) return true
  if ('code' in error && [...lostStates, ...lostSockets].some((code) => code === error.code)) return true
  return isOutcomeUnknown(error.cause)
}

function isOutageCode(error: Error): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return false
  const { code } = error
  if (code === FEATURE_NOT_SUPPORTED) return 'routine' in error && error.routine === READS_UNLOGGED_ON_STANDBY
  return networkErrors.includes(code) || (code.length === 5 && temporaryStates.some((start) => code.startsWith(start)))
}

/** SQLSTATEs that our functions raise. */
const raised: Record<string, ErrorCode> = { JB001: 'INSUFFICIENT_TOKENS', JB002: 'UPGRADING' }

/** Constraints that a caller's request can violate. */
const violated: Record<string, ErrorCode> = {
  balance_bounds: 'BALANCE_LIMIT',
  purchases_no_ambiguous_holds: 'AMBIGUOUS_HOLD',
}

/** The failure that a database error means for a caller; undefined if it is a bug. */
export function refusalOf(error: unknown): Failure | undefined {
  const code = violated[violatedConstraint(error) ?? ''] ?? raised[sqlState(error) ?? '']
  return code && new Failure(code, { cause: error })
}

/** The SQLSTATE of a database error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The name of the constraint that a database error is about; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
}
