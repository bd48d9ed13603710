import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'

/** JSON that is ready before it is asked for. */
export interface ReadyReply {
  json: string
  /** Of the JSON, in bytes. */
  length: number
  /** Its entity tag, in quotes. */
  etag: string
}

/** `no-cache` lets a browser keep the page, but it must ask each time; unchanged it costs no body. */
export const readyCacheControl = 'no-cache'

/** Whether the client says that it has this version. */
export function isKnown({ etag }: ReadyReply, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.includes(etag) === true
}

/**
 * Gives what answers a request with a ready reply, where there is one, and tells whether it did. It stands before the framework:
 * routing, limits and checks would cost as much again as the answer. `headers` are those that every reply has, and `find` knows
 * the replies by path and query. A page of another origin goes the long way, for its CORS headers.
 */
export function createReadyReplies(headers: OutgoingHttpHeaders, find: (url: string) => ReadyReply | undefined) {
  const always = headerList({ ...headers, vary: 'Origin', 'cache-control': readyCacheControl })
  const json = ['content-type', 'application/json; charset=utf-8', 'content-length']

  return ({ method, url = '', headers: asked }: IncomingMessage, reply: ServerResponse): boolean => {
    const ready = method === 'GET' && asked.origin === undefined ? find(url) : undefined
    if (!ready) return false
    const tagged = [...always, 'etag', ready.etag]
    if (isKnown(ready, asked['if-none-match'])) reply.writeHead(304, tagged).end()
    else reply.writeHead(200, [...tagged, ...json, String(ready.length)]).end(ready.json, encodingOf(ready))
    return true
  }
}

/** Plain ASCII is written as it is, without a look at each character. */
function encodingOf({ json, length }: ReadyReply): BufferEncoding {
  return json.length === length ? 'latin1' : 'utf8'
}

/** Names and values in turn, which a reply writes much faster than it sets one after the other. */
function headerList(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]))
}
