/** What a session must be able to do, as in libpq. */
const sessionAttributes = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type SessionAttributes = (typeof sessionAttributes)[number]

/** A PostgreSQL URL that names one host or several. */
export interface DatabaseUrl {
  /** For each host, in the order in which they are tried, the URL that names only this one. */
  hosts: string[]
  /** `target_session_attrs` */
  session: SessionAttributes
}

const LIKE = 'a URL like postgresql://user:password@host:5432/name, or for several hosts postgresql://user:password@a:5432,b:5432/name'
const SESSIONS = `a URL whose target_session_attrs is ${sessionAttributes.join(', ')}`
const PORTS = 'a URL whose "port" has one number for each host, or one for all'
const WRITES = 'a URL with target_session_attrs=read-write, because the server writes'
const IN_ORDER = 'a URL without load_balance_hosts, because hosts are tried in the order given'

/** The text is not such a URL. The message continues "It must be", and does not repeat the text, which may have a password. */
export class DatabaseUrlError extends Error {}

/**
 * Reads a PostgreSQL URL as libpq does: the hosts are separated by commas, with or without ports, or are in `?host=` and `port=`.
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme, user = '', authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/s.exec(text) ?? []
  const hosts = authority.split(',')
  if (scheme === undefined || (hosts.length > 1 && hosts.includes(''))) throw new DatabaseUrlError(LIKE)
  // Only libpq's URLs may have a user and no host.
  const urls = hosts.map((host) => requireUrl(`${scheme}${user}${host || (user && 'localhost')}${rest}`))
  const { searchParams } = urls[0] ?? requireUrl(text)
  if (!['disable', null].includes(searchParams.get('load_balance_hosts'))) throw new DatabaseUrlError(IN_ORDER)
  const named = searchParams.get('host')
  return {
    hosts:
      named === null || !urls[0] ? hosts.map((host) => `${scheme}${user}${host}${rest}`) : hostsOfParameters(urls[0], named.split(',')),
    session: readSession(searchParams.get('target_session_attrs') ?? 'any'),
  }
}

/** Why the text cannot be used, if `sessions` are the `target_session_attrs` that make sense; continues "It must be". */
export function databaseUrlProblem(text: string, sessions: readonly SessionAttributes[] = sessionAttributes): string | undefined {
  try {
    return sessions.includes(parseDatabaseUrl(text).session) ? undefined : WRITES
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
}

function requireUrl(text: string): URL {
  if (!URL.canParse(text)) throw new DatabaseUrlError(LIKE)
  const url = new URL(text)
  if (url.port === '0') throw new DatabaseUrlError(LIKE)
  return url
}

function hostsOfParameters(url: URL, hosts: readonly string[]): string[] {
  const ports = (url.searchParams.get('port') ?? url.port).split(',')
  const fit = ports.length === 1 || ports.length === hosts.length
  if (!fit || !ports.every((port) => /^\d{0,5}$/.test(port) && port !== '0' && Number(port) < 65_536)) throw new DatabaseUrlError(PORTS)
  return hosts.map((host, index) => {
    const alone = new URL(url)
    alone.searchParams.set('host', host)
    alone.searchParams.set('port', ports.at(ports.length === 1 ? 0 : index) ?? '')
    return alone.href
  })
}

function readSession(text: string): SessionAttributes {
  const known = sessionAttributes.find((name) => name === text)
  if (known === undefined) throw new DatabaseUrlError(SESSIONS)
  return known
}
