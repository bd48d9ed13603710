import { type ErrorCode } from '@juicebar/contract/errors'

/** How a call can fail without an error from the server. */
const transportCodes = ['NETWORK', 'TIMEOUT', 'BAD_REPLY'] as const
export type TransportCode = (typeof transportCodes)[number]

/** A server error without a code. */
export type UncodedError = 'UNCODED'

/** A call that failed. `message` is a sentence for people; `status` is 0 if no reply came. */
export class ApiError extends Error {
  readonly code: ErrorCode | TransportCode | UncodedError
  readonly status: number
  /** In seconds; undefined if the server did not say when to retry. */
  readonly retryAfter: number | undefined
  /** The listing of an order that the server refuses. */
  readonly listingId: string | undefined

  constructor(
    code: ErrorCode | TransportCode | UncodedError,
    message: string,
    options: { status?: number; retryAfter?: number | undefined; listingId?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? 0
    this.retryAfter = options.retryAfter
    this.listingId = options.listingId
  }
}

/** True for temporary failures, which say nothing about the request itself. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/** The server's own sentence if it sent one, else `fallback` (specification, section 8). */
export function serverSentence(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback
  return transportCodes.some((code) => code === error.code) ? fallback : error.message
}

/** The text, with a full stop if it has none, so that another sentence can follow. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/**
 * The error's own sentence if it has one, else `fallback`. A `TypeError` has none for people: mostly, it is code that could not be downloaded.
 */
export function errorSentence(error: unknown, fallback: string): string {
  return error instanceof Error && error.message && !(error instanceof TypeError) ? error.message : fallback
}
