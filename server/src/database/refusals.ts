import { type ErrorCode, Failure } from '@juicebar/contract/errors'

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
