import { ApiError, errorSentence, serverSentence } from '../api/api-error.ts'

/** @returns why a sign-in failed, to put into the middle of a sentence; undefined if nothing is known */
export function loginReason(error: unknown): string | undefined {
  const said = error instanceof ApiError ? serverSentence(error, '') : errorSentence(error, '')
  return said.replace(/\.$/, '') || undefined
}
