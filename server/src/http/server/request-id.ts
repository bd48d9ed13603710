import { randomUUID } from 'node:crypto'
import { type IncomingMessage } from 'node:http'

export const REQUEST_ID = 'x-request-id'

/** Printable ASCII, longer than the ids of proxies and tracing systems. */
const acceptable = /^[\x20-\x7e]{1,128}$/

/**
 * The id of a request in its reply and in every log line about it: the caller's own if it is short and printable, otherwise a new one.
 * Always the same for one request.
 */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID]
  const id = typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
  headers[REQUEST_ID] = id
  return id
}
