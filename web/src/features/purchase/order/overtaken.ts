import { type ErrorCode } from '@juicebar/contract/errors'

import { ApiError } from '../../../api/api-error.ts'

/** Refusals because somebody else has what the buyer wanted. */
const codes = new Set<string>(['LISTING_HELD', 'LISTING_NOT_ACTIVE', 'AMOUNT_NOT_LEFT'] satisfies ErrorCode[])

export const overtakenText = 'Someone else was faster. Your payment was not sent.'

/** A purchase of one listing that somebody else has bought, or is buying. The next best offer is what the buyer wants to see. */
export class Overtaken extends Error {
  constructor(cause: unknown) {
    super(overtakenText, { cause })
    this.name = 'Overtaken'
  }
}

/** True if the server refused an order because somebody else was faster. */
export function isOvertaken(error: unknown): error is ApiError {
  return error instanceof ApiError && codes.has(error.code)
}
