/**
 * SQLSTATEs, or their beginnings, of temporary failures (PostgreSQL, appendix A): connection lost, out of connections, disk or memory,
 * shutting down or starting up, statement timed out, lock not available, a read-only stand-by, and conflicts that outlasted all
 * retries.
 */
const temporaryStates = ['08', '53', '57P', '57014', '55P03', '25006', '40001', '40P01', '25P03']

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
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/

/** Whether an error, or its cause, means that the database cannot be reached or cannot answer for now. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (driverMessages.test(error.message) || isOutageCode(error)) return true
  if (error instanceof AggregateError && error.errors.some(isDatabaseOutage)) return true
  return isDatabaseOutage(error.cause)
}

function isOutageCode(error: Error): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return false
  const { code } = error
  return networkErrors.includes(code) || (code.length === 5 && temporaryStates.some((start) => code.startsWith(start)))
}
