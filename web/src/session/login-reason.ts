import { ApiError, errorSentence, serverSentence } from '../api/api-error.ts'

/** @returns why a sign-in failed, as the middle of a sentence; undefined if unknown */
export function loginReason(error: unknown): string | undefined {
  const said = error instanceof ApiError ? serverSentence(error, '') : errorSentence(error, '')
  return said.replace(/\.$/, '') || undefined
}
