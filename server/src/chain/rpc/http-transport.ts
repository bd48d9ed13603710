import { createDefaultRpcTransport, type RpcTransport } from '@solana/kit'

/** Shorter parts of a URL are paths like `v2`, not keys. */
const SHORTEST_SECRET = 8

/** A kit transport to an RPC URL, which may hold a user name and a password. */
export function createHttpTransport(text: string): RpcTransport {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  // fetch refuses URLs with credentials, and its message repeats them.
  const headers = credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  return createDefaultRpcTransport({ url: url.href, headers })
}

/** The parts of an RPC URL that must not reach a log or a browser: its host and anything that may be a key. */
export function secretsOf(text: string): string[] {
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.username, url.password]
  return [text, url.href, url.host, url.hostname, ...parts.filter((part) => part.length >= SHORTEST_SECRET)]
}
