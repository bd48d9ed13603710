import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { takesGzip } from './compression.ts'
import { REQUEST_ID, requestId } from './failure-reply.ts'

/** A reply that was rendered before it is requested. */
export interface CachedReply {
  json: string
  /** Of the JSON, in bytes. */
  length: number
  gzipped: Buffer
  /** Its entity tag, in quotes. */
  etag: string
  /** Where an event stream must start to carry every change that the reply does not show; undefined if unknown. */
  lastEventId: string | undefined
}

/** The call whose replies are cached. */
export const cachedCall = 'listings' satisfies EndpointName

/** A browser may keep the reply but must revalidate it each time, and gets no body while it is unchanged. */
export const cachedReplyControl = 'no-cache'

/** The headers that identify this version. The tag is weak: it is the same whether the reply is compressed or not. */
export function versionHeaders({ etag, lastEventId }: CachedReply): Record<string, string> {
  return { etag: `W/${etag}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
}

/** Whether the client already has this version. */
export function isNotModified({ etag }: CachedReply, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.includes(etag) === true
}

interface CachedReplies {
  /** Those that every reply has. */
  headers: OutgoingHttpHeaders
  /** The web app's own origin, which a browser names when it preloads. */
  publicOrigin: string
  /** Returns the cached reply to a path and query, if there is one. */
  find: (url: string) => CachedReply | undefined
}

/**
 * Returns a function that answers a request from the cache and returns whether it did. It runs before the framework, whose routing, limits
 * and checks would cost as much again as the reply. Requests from other origins are left to the framework, which adds CORS headers.
 */
export function createCachedReplySender({ headers, publicOrigin, find }: CachedReplies) {
  const always = headerList({ ...headers, vary: 'Origin, Accept-Encoding', 'cache-control': cachedReplyControl })
  const json = ['content-type', 'application/json; charset=utf-8', 'content-length']
  const compressed = ['content-encoding', 'gzip', ...json]

  return (request: IncomingMessage, reply: ServerResponse): boolean => {
    const { method, url = '', headers: requestHeaders } = request
    const isOwn = requestHeaders.origin === undefined || requestHeaders.origin === publicOrigin
    const cached = method === 'GET' && isOwn ? find(url) : undefined
    if (!cached) return false
    const tagged = [...always, ...headerList(versionHeaders(cached)), REQUEST_ID, requestId(request)]
    if (isNotModified(cached, requestHeaders['if-none-match'])) reply.writeHead(304, tagged).end()
    else if (takesGzip(requestHeaders['accept-encoding'])) {
      reply.writeHead(200, [...tagged, ...compressed, String(cached.gzipped.length)]).end(cached.gzipped)
    } else reply.writeHead(200, [...tagged, ...json, String(cached.length)]).end(cached.json, encodingOf(cached))
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
