/**
 * SQLSTATEs and classes (first two characters) that say "not now" (PostgreSQL, appendix A): connection lost, out of
 * connections, disk or memory, shutting down or starting up, statement timed out, lock not available, a read-only stand-by,
 * and conflicts that outlasted every retry.
 */
const passingStates = ['08', '53', '57P', '57014', '55P03', '25006', '40001', '40P01', '25P03']

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

/** What `pg` and `pg-pool` say without any code. */
const driverSentences =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/

/** Whether an error, or what caused it, means that the database cannot be reached or cannot answer for now. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (driverSentences.test(error.message) || isOutageCode(error)) return true
  if (error instanceof AggregateError && error.errors.some(isDatabaseOutage)) return true
  return isDatabaseOutage(error.cause)
}

function isOutageCode(error: Error): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return false
  const { code } = error
  return networkErrors.includes(code) || (code.length === 5 && passingStates.some((start) => code.startsWith(start)))
}
