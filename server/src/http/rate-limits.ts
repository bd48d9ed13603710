import rateLimit from '@fastify/rate-limit'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance, type FastifyRequest } from 'fastify'

const MINUTE = 60_000

/**
 * Calls a minute. An address may belong to a household or to a studio's whole office, so its limits only stop floods; a wallet's limits
 * follow what one person's browser can use. There is no `perWallet` if the wallet is not known.
 */
export const limits = {
  /** Two calls per sign-in: a database write that needs no proof of anything, and a signature check. */
  'sign-in': { perAddress: 600, perWallet: 20 },
  /** The web app asks a few times a minute; lists are answered from memory. */
  read: { perAddress: 6000, perWallet: 1200 },
  /** For load balancers: players behind the same address do not use it up. */
  health: { perAddress: 6000 },
  /** Each writes to the ledger. */
  write: { perAddress: 1200, perWallet: 60 },
  /**
   * Each may ask the chain, whose public endpoints allow about 10 requests a second for all our players together. The web app asks about
   * once a second while it waits for a payment.
   */
  buy: { perAddress: 2400, perWallet: 240 },
  /** Each reads an unknown transaction from the chain; a player's own payment is known after its first confirmation. */
  'chain-lookup': { perAddress: 2400, perWallet: 60 },
  /** For wallets that open a payment link; "perWallet" is per link. Each may ask the chain, and nobody is signed in. */
  'pay-link': { perAddress: 240, perWallet: 30 },
  /** Each goes to the RPC endpoint that the studio pays for. */
  rpc: { perAddress: 600 },
  /** Only wrong keys count by address. A game server may call 200 times a second with each of its keys, and send 500 orders in a call. */
  studio: { perAddress: 1200, perKey: 12_000 },
  /** The studio API for its staff: what one person's browser can use. Only ended sessions and those of others count by address. */
  desk: { perAddress: 1200, perWallet: 1200 },
} as const satisfies Record<string, Limit>

interface Limit {
  perAddress: number
  perWallet?: number
  perKey?: number
}

export type LimitName = keyof typeof limits

type Check = (request: FastifyRequest) => Promise<void>

/** Each throws `Failure` TOO_MANY_REQUESTS, with the wait: for the caller's address, or for the wallet it proved or named, or its studio key. */
export interface LimitChecks {
  address: Check
  caller: (request: FastifyRequest, walletOrKey: string) => Promise<void>
}

/**
 * Counts calls per minute on this server; each of several servers counts its own. Each limit remembers the 5,000 latest callers (the
 * library's bound). IPv6 callers are counted by their /64 network. Forwarded addresses are used only if `TRUST_PROXY` says so.
 */
export async function createRateLimits(fastify: FastifyInstance): Promise<Record<LimitName, LimitChecks>> {
  await fastify.register(rateLimit, { global: false })
  const checks = Object.entries(limits).map(([name, limit]) => [name, createChecks(fastify, limit)] as const)
  // The names are those of `limits`.
  return Object.fromEntries(checks) as Record<LimitName, LimitChecks>
}

function createChecks(fastify: FastifyInstance, limit: Limit): LimitChecks {
  const callers = new WeakMap<FastifyRequest, string>()
  const countAddress = fastify.createRateLimit({ max: limit.perAddress, timeWindow: MINUTE })
  const countCaller = fastify.createRateLimit({
    max: limit.perWallet ?? limit.perKey ?? Number.MAX_SAFE_INTEGER,
    timeWindow: MINUTE,
    keyGenerator: (request) => callers.get(request) ?? '',
  })
  return {
    address: async (request) => {
      requireConnected(request)
      throwIfExceeded(await countAddress(request))
    },
    caller: async (request, walletOrKey) => {
      callers.set(request, walletOrKey)
      throwIfExceeded(await countCaller(request))
    },
  }
}

/**
 * A closed connection no longer has an address, and nobody waits for the reply.
 * @throws BAD_REQUEST
 */
export function requireConnected({ raw }: FastifyRequest): void {
  if (raw.socket.destroyed) throw new Failure('BAD_REQUEST', { detail: 'The connection was closed.' })
}

function throwIfExceeded(count: Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>): void {
  if (count.isAllowed || !count.isExceeded) return
  const seconds = Math.max(1, count.ttlInSeconds)
  throw new Failure('TOO_MANY_REQUESTS', { detail: seconds === 1 ? '1 second' : `${seconds} seconds`, retryAfter: seconds })
}
