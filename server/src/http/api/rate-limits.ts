import rateLimit from '@fastify/rate-limit'
import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance, type FastifyRequest } from 'fastify'

const MINUTE = 60_000

/**
 * Calls a minute. An address may stand for a household or a studio's whole office, so its limits only stop floods; the
 * limits of a wallet follow what one person's page can use. `perWallet` is absent where no wallet is known.
 */
const limits = {
  /** Two calls a sign-in, each a signature check or a database write that needs no proof of anything. */
  'sign-in': { perAddress: 600, perWallet: 20 },
  /** A page asks a few times a minute; lists are answered from memory. */
  read: { perAddress: 6000, perWallet: 1200 },
  /** Each one writes to the ledger. */
  write: { perAddress: 1200, perWallet: 60 },
  /**
   * Each one may ask the chain, whose public endpoints allow about 10 requests a second to all our players together. A page that
   * waits for its payment asks about once a second.
   */
  buy: { perAddress: 2400, perWallet: 240 },
  /** Each one reads a transaction from the chain that was not known here; a payment of one's own becomes known the first time. */
  'chain-lookup': { perAddress: 2400, perWallet: 60 },
  /** Goes straight to the chain endpoint that the studio pays for. */
  rpc: { perAddress: 600 },
  /** A studio's server crediting rewards; also what a guesser of the studio key gets. */
  studio: { perAddress: 1200 },
} as const satisfies Record<string, { perAddress: number; perWallet?: number }>

export type LimitName = keyof typeof limits

type Check = (request: FastifyRequest) => Promise<void>

/** Throws TOO_MANY_REQUESTS, with the wait, for the caller's address or for the wallet that the caller proved or named. */
export interface LimitChecks {
  address: Check
  wallet: (request: FastifyRequest, walletAddress: string) => Promise<void>
}

/**
 * Counts calls on this server; several servers each count their own. For each limit the 5,000 callers seen last are remembered
 * (the library's bound), so memory is bounded too. IPv6 callers count by their /64, which one person owns.
 * Forwarded addresses count only where `TRUST_PROXY` says so.
 */
export async function createRateLimits(fastify: FastifyInstance): Promise<Record<LimitName, LimitChecks>> {
  await fastify.register(rateLimit, { global: false })
  return {
    'sign-in': createChecks(fastify, limits['sign-in']),
    read: createChecks(fastify, limits.read),
    write: createChecks(fastify, limits.write),
    buy: createChecks(fastify, limits.buy),
    'chain-lookup': createChecks(fastify, limits['chain-lookup']),
    rpc: createChecks(fastify, limits.rpc),
    studio: createChecks(fastify, limits.studio),
  }
}

function createChecks(fastify: FastifyInstance, limit: { perAddress: number; perWallet?: number }): LimitChecks {
  const wallets = new WeakMap<FastifyRequest, string>()
  const countAddress = fastify.createRateLimit({ max: limit.perAddress, timeWindow: MINUTE })
  const countWallet = fastify.createRateLimit({
    max: limit.perWallet ?? Number.MAX_SAFE_INTEGER,
    timeWindow: MINUTE,
    keyGenerator: (request) => wallets.get(request) ?? '',
  })
  return {
    address: async (request) => refuse(await countAddress(request)),
    wallet: async (request, walletAddress) => {
      wallets.set(request, walletAddress)
      refuse(await countWallet(request))
    },
  }
}

function refuse(count: Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>): void {
  if (count.isAllowed || !count.isExceeded) return
  const seconds = Math.max(1, count.ttlInSeconds)
  throw new Failure('TOO_MANY_REQUESTS', { detail: seconds === 1 ? '1 second' : `${seconds} seconds`, retryAfter: seconds })
}
