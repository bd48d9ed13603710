import { isIP } from 'node:net'
import { isSafeReturn } from '@juicebar/contract/return-address'

/** Settings are wrong. The message has a sentence for each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export type Environment = Record<string, string | undefined>

export type Reader = ReturnType<typeof createReader>

/** Readers of single variables. Each returns a usable value, and adds to `problems` if the variable's own value is wrong. */
export function createReader(env: Environment, problems: string[]) {
  const isSet = (name: string) => env[name] !== undefined

  const text = (name: string): string | undefined => {
    const value = env[name]
    if (value === undefined || value.trim() !== '') return value
    problems.push(`${name} is set but empty. Give it a value or leave it out.`)
    return undefined
  }

  const matching = (name: string, isAllowed: (value: string) => boolean, allowed: string, fallback: string): string => {
    const value = text(name)
    if (value === undefined) return fallback
    if (isAllowed(value)) return value
    problems.push(`${name} is ${JSON.stringify(value)}. It must be ${allowed}.`)
    return fallback
  }

  const secret = (name: string, isAllowed: (value: string) => boolean, allowed: string): string | undefined => {
    const value = text(name)
    if (value === undefined || isAllowed(value)) return value
    problems.push(`${name} has a wrong value (${value.length} characters, not shown here). It must be ${allowed}.`)
    return undefined
  }

  const integer = (name: string, { min, max, default: fallback }: { min: number; max: number; default: number }): number => {
    const isInRange = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
    return Number(matching(name, isInRange, `a whole number from ${min} to ${max}`, String(fallback)))
  }

  const choice = <const T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const value = matching(name, (given) => values.some((allowed) => allowed === given), oneOf(values), fallback)
    return values.find((allowed) => allowed === value) ?? fallback
  }

  return { isSet, text, matching, secret, integer, choice }
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `"${value}"`).join(', ')}`
}

/** The network that players are shown. */
export type Network = 'localnet' | 'devnet' | 'testnet' | 'mainnet'

export const MIN_STUDIO_KEY_LENGTH = 16
const MIN_REFERENCE_SECRET_LENGTH = 32
export const REFERENCE_SECRETS = `one or more secrets of at least ${MIN_REFERENCE_SECRET_LENGTH} characters, separated by commas`
export const MAX_PRODUCT_NAME_LENGTH = 40
export const MAX_RPC_LIMIT = 100_000

const proxyRangeNames = ['loopback', 'linklocal', 'uniquelocal']

/** An IP address or a host name. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)
}

/** Whether a host name or IP address is this machine's own, which only its programs can reach. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** An http or https origin, with or without its slash. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return isHttp(url) && url.pathname === '/' && !/[?#@]/.test(text)
}

/** An origin that players may be sent back to: https, or http on a loopback address. */
export function isReturnOrigin(text: string): boolean {
  return isOrigin(text) && isSafeReturn(new URL(text))
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}

/** One or more http or https URLs, separated by commas. */
export function isRpcUrlList(text: string): boolean {
  return text.split(',').every((url) => url === url.trim() && URL.canParse(url) && isHttp(new URL(url)))
}

/** One or more requests a second, separated by commas. */
export function isRpcLimitList(text: string): boolean {
  return text.split(',').every((limit) => /^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_RPC_LIMIT)
}

/** Long enough, and of characters that a header may contain. */
export function isStudioKey(text: string): boolean {
  return text.length >= MIN_STUDIO_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text)
}

/** One or more long secrets, separated by commas. */
export function isReferenceSecretList(text: string): boolean {
  return text.split(',').every((secret) => secret === secret.trim() && secret.length >= MIN_REFERENCE_SECRET_LENGTH)
}

/** What RFC 9116 allows as a contact. */
export function isContact(text: string): boolean {
  return /^(?:mailto:|tel:|https:\/\/)[\x21-\x7e]{3,500}$/.test(text) && URL.canParse(text)
}

/** Short, on one line, and without spaces around it. */
export function isProductName(text: string): boolean {
  return text.length <= MAX_PRODUCT_NAME_LENGTH && text === text.trim() && !/\p{C}|\p{Zl}|\p{Zp}/u.test(text)
}

/** An address, a range such as `10.0.0.0/8`, or the name of some ranges. */
export function isProxyRange(text: string): boolean {
  if (proxyRangeNames.includes(text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128)
}
