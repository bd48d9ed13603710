import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'

/** A reply that was rendered before it is requested. */
export interface CachedReply {
  json: string
  /** Of the JSON, in bytes. */
  length: number
  /** Its entity tag, in quotes. */
  etag: string
}

/** A browser may keep the reply but must revalidate it each time, which costs no body while it is unchanged. */
export const cachedReplyControl = 'no-cache'

/** Whether the client has this version already. */
export function isNotModified({ etag }: CachedReply, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.includes(etag) === true
}

/**
 * Returns a function that answers a request from the cache and tells whether it did. It runs before the framework, whose routing, limits
 * and checks would cost as much again as the reply. Requests from other origins are left to the framework, which adds CORS headers.
 *
 * @param headers those that every reply has.
 * @param find returns the cached reply to a path and query, if there is one.
 */
export function createCachedReplySender(headers: OutgoingHttpHeaders, find: (url: string) => CachedReply | undefined) {
  const always = headerList({ ...headers, vary: 'Origin', 'cache-control': cachedReplyControl })
  const json = ['content-type', 'application/json; charset=utf-8', 'content-length']

  return ({ method, url = '', headers: requestHeaders }: IncomingMessage, reply: ServerResponse): boolean => {
    const cached = method === 'GET' && requestHeaders.origin === undefined ? find(url) : undefined
    if (!cached) return false
    const tagged = [...always, 'etag', cached.etag]
    if (isNotModified(cached, requestHeaders['if-none-match'])) reply.writeHead(304, tagged).end()
    else reply.writeHead(200, [...tagged, ...json, String(cached.length)]).end(cached.json, encodingOf(cached))
    return true
  }
}

/** Node.js writes Latin-1 without encoding each character; ASCII is the same in both. */
function encodingOf({ json, length }: CachedReply): BufferEncoding {
  return json.length === length ? 'latin1' : 'utf8'
}

/** Names and values in one list, which `writeHead` writes much faster than headers that were set one by one. */
function headerList(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]))
}
