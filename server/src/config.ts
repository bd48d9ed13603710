import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { HOUSE_NAME } from '@juicebar/contract/market-settings'
import { MAX_STUDIO_WALLETS } from '@juicebar/contract/limits'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { mayHaveSigner } from './chain/transactions/keys.ts'
import { CONNECTIONS } from './database/database-pool.ts'
import { databaseUrlProblem, type SessionAttributes } from './settings/database-url.ts'
import {
  ConfigError,
  isContact,
  isReferenceSecretList,
  isHost,
  isOrigin,
  isLoopback,
  isReturnOrigin,
  isProductName,
  isRpcLimitList,
  isRpcUrlList,
  isStudioKey,
  MAX_PRODUCT_NAME_LENGTH,
  MAX_RPC_LIMIT,
  MIN_STUDIO_KEY_LENGTH,
  REFERENCE_SECRETS,
  createReader,
  type Environment,
  type Network,
  type Reader,
  isProxyRange,
} from './settings/setting-reader.ts'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** What the studio takes of each sale. */
export interface FeeSettings {
  /** 1 is a hundredth of a percent of what the sellers receive; 0 for no fee. */
  basisPoints: number
  /** Who receives it; set whenever there is a fee. */
  wallet: WalletAddress | undefined
}

/** All settings, validated. `undefined` means not set: the embedded part or a generated secret is used. */
export interface Config {
  port: number
  host: string
  /** The origin of the web app and the API, without a trailing slash: named in the login message, and the only CORS origin. */
  publicOrigin: string
  productName: string
  /** The folder of a studio's own brand. */
  brandDir: string | undefined
  /** The file of a studio's own items. */
  catalogue: string | undefined
  dataDir: string
  databaseUrl: string | undefined
  /** A replica for filtered and later pages of the market. */
  databaseReadUrl: string | undefined
  /** Most connections to the database, besides those that read the market. */
  databaseConnections: number
  /** RPC URLs in order of preference; undefined for the embedded chain. */
  rpcUrls: string[] | undefined
  /** Requests a second: one number for each of the endpoints; undefined for the default of each. */
  rpcLimits: number[] | undefined
  network: Network
  jwtSecret: string | undefined
  studioApiKey: string | undefined
  /** The first staff of the studio's desk. */
  studioWallets: WalletAddress[]
  /** The first one makes references; each recognises its own. */
  referenceSecrets: string[] | undefined
  /** Starter tokens for new players, and on a local chain the demo wallet and test SOL. */
  demo: boolean
  /** The demo's market starts with some listings. */
  demoSeed: boolean
  settleAt: 'confirmed' | 'finalized'
  holdSeconds: number
  networkHolds: number
  /** Buyers can pay with payments that only the market can send. */
  coSign: boolean
  /** Whether a buyer's wallet may send its payment by itself; referenced: only a payment with the reference of its purchase counts. */
  walletSends: 'any' | 'referenced' | 'off'
  fee: FeeSettings
  /** Where players of checkouts may return to; none for no checkouts. */
  checkoutOrigins: string[]
  /** Webhooks may be sent to private addresses. */
  webhookAllowPrivate: boolean
  /** How long the server keeps taking calls after SIGTERM while it reports that it is not ready. */
  drainSeconds: number
  /** Addresses and ranges of proxies whose forwarded headers are trusted; false for none. */
  trustProxy: string[] | false
  logLevel: (typeof logLevels)[number]
  /** Where to report vulnerabilities of this market, as a URI. */
  securityContact: string | undefined
  /** Where metrics are served; undefined for nowhere. */
  metrics: { host: string; port: number } | undefined
}

const MIN_JWT_SECRET_LENGTH = 32
const DATABASE_CONNECTIONS = { min: 4, max: 1_000, default: CONNECTIONS }
const HOLD_SECONDS = { min: 1, max: 600, default: 60 }
const NETWORK_HOLDS = { min: 1, max: 10_000, default: 10 }
const MARKET_FEE_BPS = { min: 0, max: 1_000, default: 0 }

/**
 * With an external database, there may be other servers and a balancer: HAProxy's usual checks, three two seconds apart, take 6 s to
 * notice. The whole stop then fits into the 30 s that Kubernetes gives it.
 */
const DRAIN_SECONDS = { min: 0, max: 300, default: 10 }

/**
 * Reads all settings from the environment; nothing else in the server does. A person at a `terminal` is shown warnings only, by default.
 *
 * @throws ConfigError with all problems at once; it never repeats a value that may be a secret.
 */
export function readConfig(env: Environment, { terminal = false }: { terminal?: boolean } = {}): Config {
  const problems: string[] = []
  const read = createReader(env, problems)

  const port = read.integer('PORT', { min: 1, max: 65_535, default: 3000 })
  const host = read.matching('HOST', isHost, 'an IP address or a host name', '127.0.0.1')
  const databaseUrl = readDatabaseUrl('DATABASE_URL', read, ['any', 'read-write', 'primary'])
  const databaseReadUrl = readDatabaseUrl('DATABASE_READ_URL', read)
  const rpcUrls = read.secret('SOLANA_RPC_URL', isRpcUrlList, 'one or more http or https URLs, separated by commas')?.split(',')
  const jwtSecret = read.secret(
    'JWT_SECRET',
    (text) => text.length >= MIN_JWT_SECRET_LENGTH,
    `at least ${MIN_JWT_SECRET_LENGTH} characters`,
  )
  const studioApiKey = read.secret('STUDIO_API_KEY', isStudioKey, `at least ${MIN_STUDIO_KEY_LENGTH} printable characters without spaces`)
  const network = networkOf(rpcUrls, problems)

  const config: Config = {
    port,
    host,
    publicOrigin: readPublicOrigin(read, host, port, problems),
    productName: read.matching('PRODUCT_NAME', isProductName, `1 to ${MAX_PRODUCT_NAME_LENGTH} printable characters`, HOUSE_NAME),
    brandDir: read.text('BRAND_DIR'),
    catalogue: read.text('CATALOGUE'),
    dataDir: read.text('DATA_DIR') ?? '.data',
    databaseUrl,
    databaseReadUrl,
    databaseConnections: read.integer('DATABASE_CONNECTIONS', DATABASE_CONNECTIONS),
    rpcUrls,
    rpcLimits: readRpcLimits(read, rpcUrls?.length ?? 1, problems),
    network,
    jwtSecret,
    studioApiKey,
    studioWallets: readStudioWallets('STUDIO_WALLETS', read),
    referenceSecrets: read.secret('REFERENCE_SECRET', isReferenceSecretList, REFERENCE_SECRETS)?.split(','),
    demo: read.choice('DEMO', ['on', 'off'], rpcUrls ? 'off' : 'on') === 'on',
    demoSeed: read.choice('DEMO_SEED', ['on', 'off'], 'on') === 'on',
    settleAt: read.choice('SETTLE_AT', ['confirmed', 'finalized'], 'confirmed'),
    holdSeconds: read.integer('HOLD_SECONDS', HOLD_SECONDS),
    networkHolds: read.integer('NETWORK_HOLDS', NETWORK_HOLDS),
    coSign: read.choice('CO_SIGN', ['on', 'off'], 'on') === 'on',
    walletSends: read.choice('WALLET_SENDS', ['any', 'referenced', 'off'], 'any'),
    fee: {
      basisPoints: read.integer('MARKET_FEE_BPS', MARKET_FEE_BPS),
      wallet: parseWalletAddress(read.matching('MARKET_FEE_WALLET', isPayee, 'a Solana wallet address that somebody can sign with', '')),
    },
    checkoutOrigins: readCheckoutOrigins('CHECKOUT_ORIGINS', read),
    webhookAllowPrivate: read.choice('WEBHOOK_ALLOW_PRIVATE', ['on', 'off'], 'off') === 'on',
    drainSeconds: read.integer('DRAIN_SECONDS', { ...DRAIN_SECONDS, ...(databaseUrl === undefined && { default: 0 }) }),
    trustProxy: readTrustProxy('TRUST_PROXY', read),
    logLevel: read.choice('LOG_LEVEL', logLevels, terminal ? 'warn' : 'info'),
    securityContact: read.matching('SECURITY_CONTACT', isContact, 'a URI that starts with mailto:, tel: or https:', '') || undefined,
    metrics: readMetrics(read),
  }

  problems.push(...findConflicts(config, env))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** @param sessions the values of `target_session_attrs` that make sense here; left out for all */
function readDatabaseUrl(name: string, read: Reader, sessions?: readonly SessionAttributes[]): string | undefined {
  const text = read.text(name)
  const problem = text === undefined ? undefined : databaseUrlProblem(text, sessions)
  return problem === undefined ? text : read.secret(name, () => false, problem)
}

function readPublicOrigin(read: Reader, host: string, port: number, problems: string[]): string {
  const text = read.matching('PUBLIC_ORIGIN', isOrigin, 'an http or https origin without a path, like https://market.example', '')
  if (text) return new URL(text).origin
  if (isLoopback(host)) return `http://localhost:${port}`
  if (!read.isSet('PUBLIC_ORIGIN')) {
    problems.push(
      `PUBLIC_ORIGIN is not set. It is required because HOST is "${host}", which others can reach: ` +
        'set it to the address that players see, like https://market.example.',
    )
  }
  return ''
}

function readRpcLimits(read: Reader, endpoints: number, problems: string[]): number[] | undefined {
  if (!read.isSet('SOLANA_RPC_LIMIT')) return undefined
  const allowed = `whole numbers from 1 to ${MAX_RPC_LIMIT}: one for every endpoint of SOLANA_RPC_URL, or one for each, separated by commas`
  const limits = read.matching('SOLANA_RPC_LIMIT', isRpcLimitList, allowed, '').split(',').map(Number)
  if (limits.length === endpoints) return limits
  if (limits.length > 1) {
    problems.push(
      `SOLANA_RPC_LIMIT has ${limits.length} numbers, but SOLANA_RPC_URL names ${endpoints}. Give one number, or one for each endpoint.`,
    )
  }
  return Array.from({ length: endpoints }, () => limits[0] ?? 0)
}

function readMetrics(read: Reader): Config['metrics'] {
  const host = read.matching('METRICS_HOST', isHost, 'an IP address or a host name', '127.0.0.1')
  return read.isSet('METRICS_PORT') ? { host, port: read.integer('METRICS_PORT', { min: 1, max: 65_535, default: 0 }) } : undefined
}

/**
 * The network of the endpoints, by the words of their URLs: mainnet unless they mention devnet or testnet. An endpoint on this machine is
 * a local chain unless it mentions one, because a developer's validator must not be shown as real money. The chain's genesis hash is
 * compared with it before anything is served.
 */
function networkOf(rpcUrls: string[] | undefined, problems: string[]): Network {
  const networks = [...new Set((rpcUrls ?? []).map(networkOfEndpoint))]
  if (networks.length > 1) {
    problems.push(`SOLANA_RPC_URL names endpoints of different networks (${networks.join(', ')}). All of them must be on one network.`)
  }
  return networks[0] ?? 'localnet'
}

function networkOfEndpoint(url: string): Network {
  const text = url.toLowerCase()
  if (text.includes('devnet')) return 'devnet'
  if (text.includes('testnet')) return 'testnet'
  return isLoopback(new URL(url).hostname) && !text.includes('mainnet') ? 'localnet' : 'mainnet'
}

/** Settings that are valid separately but not together: a sentence for each pair. */
function findConflicts(config: Config, env: Environment): string[] {
  const found: string[] = []
  if (config.databaseUrl && env['JWT_SECRET'] === undefined) {
    found.push('JWT_SECRET is not set. It is required with DATABASE_URL, because all servers on one database must share it.')
  }
  if (config.databaseUrl && env['STUDIO_API_KEY'] === undefined) {
    found.push('STUDIO_API_KEY is not set. It is required with DATABASE_URL, because all servers on one database must share it.')
  }
  if (config.databaseUrl && config.coSign && env['REFERENCE_SECRET'] === undefined) {
    found.push(
      'REFERENCE_SECRET is not set. It is required with DATABASE_URL, because the key that co-signs payments is derived from it, and all ' +
        'servers on one database must share it. A market that had none before continues with a new secret, a comma and the value of JWT_SECRET.',
    )
  }
  if (config.coSign && sharesReferenceSecret(config)) {
    found.push(
      'REFERENCE_SECRET begins with the value of JWT_SECRET or STUDIO_API_KEY. The key that co-signs payments is derived from it: put a ' +
        'secret of its own in front, separated by a comma.',
    )
  }
  if (!config.coSign && config.walletSends === 'off') {
    found.push('CO_SIGN and WALLET_SENDS are both "off", so nobody could pay. Switch one of them on.')
  }
  if (config.databaseReadUrl && env['DATABASE_URL'] === undefined) {
    found.push('DATABASE_READ_URL is set, but DATABASE_URL is not. The built-in database has no replica.')
  }
  if (config.jwtSecret !== undefined && config.jwtSecret === config.studioApiKey) {
    found.push('STUDIO_API_KEY is the same as JWT_SECRET. Each protects something else: choose two different values.')
  }
  if (config.fee.basisPoints > 0 && env['MARKET_FEE_WALLET'] === undefined) {
    found.push('MARKET_FEE_BPS is set, but MARKET_FEE_WALLET is not. Set it to the wallet that receives the fee.')
  }
  if (env['MARKET_FEE_WALLET'] !== undefined && env['MARKET_FEE_BPS'] === undefined) {
    found.push('MARKET_FEE_WALLET is set, but MARKET_FEE_BPS is not. Set it to the fee in hundredths of a percent, or to 0 for none.')
  }
  if (config.demo && config.network === 'mainnet') {
    found.push(
      'DEMO is "on", but SOLANA_RPC_URL is a mainnet endpoint. The demo gives tokens away: set DEMO=off, or use devnet or testnet.',
    )
  }
  if (config.metrics?.port === config.port) {
    found.push('METRICS_PORT is the same as PORT. Metrics are served apart from the market: choose another port.')
  }
  if (env['METRICS_HOST'] !== undefined && env['METRICS_PORT'] === undefined) {
    found.push('METRICS_HOST is set, but METRICS_PORT is not. Set it to the port that metrics are served on.')
  }
  return found
}

/** Whether new references and keys would be made with a secret that protects something else. */
function sharesReferenceSecret({ referenceSecrets, jwtSecret, studioApiKey }: Config): boolean {
  const newest = referenceSecrets?.[0]
  return newest !== undefined && (newest === jwtSecret || newest === studioApiKey)
}

/** The wallets of the first staff; none if nobody is named. */
function readStudioWallets(name: string, read: Reader): WalletAddress[] {
  const allowed = `1 to ${MAX_STUDIO_WALLETS} Solana wallet addresses that somebody can sign with, each once, separated by commas`
  const text = read.matching(name, isWalletList, allowed, '')
  return text.split(',').flatMap((wallet) => parseWalletAddress(wallet) ?? [])
}

/** A wallet whose key someone can have. */
function isPayee(text: string): boolean {
  return parseWalletAddress(text) !== undefined && mayHaveSigner(text)
}

function isWalletList(text: string): boolean {
  const wallets = text.split(',')
  return wallets.length <= MAX_STUDIO_WALLETS && new Set(wallets).size === wallets.length && wallets.every(isPayee)
}

/** The origins as browsers write them. */
function readCheckoutOrigins(name: string, read: Reader): string[] {
  const allowed = 'https origins without a path, or http ones of a loopback address, like https://game.example, separated by commas'
  const text = read.matching(name, (list) => list.split(',').every(isReturnOrigin), allowed, '')
  return text === '' ? [] : text.split(',').map((origin) => new URL(origin).origin)
}

/** The proxies whose forwarded addresses are trusted. */
function readTrustProxy(name: string, read: Reader): string[] | false {
  const allowed =
    '"off" or a list of addresses and ranges like 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas ' +
    '(a number of hops is not supported: it would trust whoever reaches this server directly)'
  const text = read.matching(name, (value) => value === 'off' || value.split(',').every(isProxyRange), allowed, 'off')
  return text === 'off' ? false : text.split(',')
}

/** The https address at which phones reach the market; undefined if only this machine can reach it, or there is no certificate. */
export function phoneOrigin({ publicOrigin }: Pick<Config, 'publicOrigin'>): string | undefined {
  const { protocol, hostname, origin } = new URL(publicOrigin)
  return protocol === 'https:' && !isLoopback(hostname) ? origin : undefined
}

/** The addresses of the keys with which the market signs payments and refunds. */
interface CoSignerAddresses {
  current: string
  former: readonly string[]
  refund: string
}

/** The public settings, except for the pause, which changes. */
export function publicConfig(config: Config, coSigners: CoSignerAddresses, version: string): Omit<PublicConfig, 'pause'> {
  const { productName, network, settleAt: commitment, demo, holdSeconds, walletSends } = config
  return {
    productName,
    network,
    commitment,
    demo,
    demoWallet: demo && network === 'localnet',
    holdSeconds,
    fee: { basisPoints: config.fee.basisPoints },
    ...coSigning(config, coSigners),
    walletSends,
    publicOrigin: phoneOrigin(config) ?? null,
    version,
  }
}

/** Whoever audits the market needs all keys with which it has ever signed, even if it no longer does. */
function coSigning({ coSign }: Config, { current, former, refund }: CoSignerAddresses) {
  return coSign
    ? { coSigner: current, formerCoSigners: [...former], refundCoSigner: refund }
    : { coSigner: null, formerCoSigners: [current, ...former], refundCoSigner: null }
}
