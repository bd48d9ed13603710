import { type ErrorCode } from '@juicebar/contract/errors'

/** Ways a call can fail without a word of the server. */
const transportCodes = ['NETWORK', 'TIMEOUT', 'BAD_REPLY'] as const
export type TransportCode = (typeof transportCodes)[number]

/** A sentence of the server that came without a code. */
export type UncodedError = 'UNCODED'

/** A call that did not succeed. `message` is a sentence for people; `status` is 0 where no reply came. */
export class ApiError extends Error {
  readonly code: ErrorCode | TransportCode | UncodedError
  readonly status: number
  /** Seconds after which asking again makes sense. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode | TransportCode | UncodedError,
    message: string,
    options: { status?: number; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? 0
    this.retryAfter = options.retryAfter
  }
}

/** True where no answer came, so that nobody knows whether the server acted. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'NETWORK' || error.code === 'TIMEOUT')
}

/** The server's own sentence for a failure where it gave one, else the fallback (specification, section 8). */
export function serverSentence(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback
  return transportCodes.some((code) => code === error.code) ? fallback : error.message
}

/** The sentence to show for a failure: the server's own, the error's, else the fallback. */
export function errorSentence(error: unknown, fallback: string): string {
  return error instanceof Error && error.message ? error.message : fallback
}
