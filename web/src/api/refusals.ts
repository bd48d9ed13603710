import { ApiError } from './api-error.ts'

/** True if this is the server's refusal with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ApiError['code'][]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code)
}

/** True if no answer came, so that it is unknown whether the server acted. */
export function isUnanswered(error: unknown): boolean {
  return hasCode(error, 'NETWORK', 'TIMEOUT')
}

/** True if it is unknown what the server did: it did not answer, or answered with a server error or without a code. */
export function isUnexplained(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.status === 0 || error.status >= 500 || error.code === 'BAD_REPLY'
}
