import { createHash, randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Listing, type ListingSort } from '@juicebar/contract/schemas'
import { fastify as createFastify, type FastifyInstance, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { recordCatalogue } from '../../src/inventory/record-catalogue.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { replyWithFailure } from '../../src/http/failure-reply.ts'
import { createRateLimits } from '../../src/http/rate-limits.ts'
import { type Api, createApi } from '../../src/http/route.ts'
import { validatorCompiler } from '../../src/http/validation.ts'
import { compress, compressFigures } from '../../src/http/compression.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { createFigures } from '../../src/market/create-figures.ts'
import { figureRoutes, marketRoutes } from '../../src/market/routes.ts'
import { createPageCaches } from '../../src/market/page-cache.ts'
import { invalidatePagesOnWrites } from '../../src/market/send-page.ts'
import { type FeeTerms } from '../../src/purchases/purchase/purchase.ts'
import { FEW_CONNECTIONS } from '../support/few-connections.ts'
import { freshDatabase } from '../support/fresh-database.ts'

/** By default, one apple juice for 0.001 SOL, of a seller of its own. */
export interface ListingToAdd {
  seller: string
  tokenType: TokenType
  amount: number
  /** In steps of 0.001 SOL. */
  steps: number
  divisible: boolean
}

interface Page {
  listings: Listing[]
  nextCursor: string | null
}

export type MarketWorld = Awaited<ReturnType<typeof openMarket>>

const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }

interface MarketOptions {
  endpoint?: string
  fee?: FeeTerms
  catalogue?: Catalogue
}

/** The market of a test file or of some of its tests, open from the first of them to the last. */
export function useMarket(given: MarketOptions | (() => Promise<MarketOptions>) = {}): MarketWorld {
  const market = {} as MarketWorld
  beforeAll(async () => void Object.assign(market, await openMarket(typeof given === 'function' ? await given() : given)))
  afterAll(() => market.stop())
  return market
}

/** A server with the calls that a test declares. The header `player` says who is signed in. */
export async function openServer(declare: (api: Api, fastify: FastifyInstance) => void): Promise<FastifyInstance> {
  const fastify = createFastify()
  fastify.setValidatorCompiler(validatorCompiler)
  fastify.decorate('failures', createFailureLog(pino({ level: 'silent' })))
  fastify.setErrorHandler(replyWithFailure)
  const authenticate = async ({ headers }: FastifyRequest) => ({ id: 'session', player: String(headers['player']) as WalletAddress })
  declare(createApi(fastify, { limits: await createRateLimits(fastify), studioApiKey: 'k'.repeat(32), authenticate }), fastify)
  return fastify
}

/** A server of its own with only the market's calls, by default without a chain, on a fresh database, and ways to fill that database. */
async function openMarket({ endpoint = 'http://127.0.0.1:9', fee = noFee, catalogue = defaultCatalogue }: MarketOptions) {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
  await recordCatalogue(connection.database, catalogue)
  const { pool } = connection
  const caches = createPageCaches({ lastEventId: () => undefined, compress, compressFigures })
  const chain = createChain({ endpoints: [endpoint], log: pino({ level: 'silent' }), probeMillis: 20 })
  await chain.start()
  const probeDatabase = () => connection.probe()
  const fastify = await openServer((api, server) => {
    invalidatePagesOnWrites(server, caches)
    marketRoutes(api, connection, { pageCache: caches.listings, probeDatabase }, { chain, fee, catalogue })
    figureRoutes(api, { figures: createFigures(connection, catalogue), catalogue, caches, probeDatabase })
  })

  const get = (call: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    fastify.inject({ method: 'GET', url: `/api/marketplace/${call}`, query, headers })
  const page = async (query: Record<string, string> = {}): Promise<Page> => {
    const reply = await get('listings', query)
    expect(reply.statusCode).toBe(200)
    return reply.json<Page>()
  }
  return {
    connection,
    pool,
    database: connection.database,
    fastify,
    caches,
    get,
    page,
    /** All listings that paging returns, in any number of pages; `between` runs before each page but the first. */
    everything: async (query: Record<string, string>, between: () => Promise<unknown> = async () => undefined): Promise<Listing[]> => {
      const found: Listing[] = []
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null; pages++) {
        expect(pages, 'paging comes to an end').toBeLessThan(10_000)
        if (pages > 0) await between()
        const next: Page = await page({ ...query, ...(cursor && { cursor }) })
        found.push(...next.listings)
        cursor = next.nextCursor
      }
      return found
    },
    /** Lists the oldest first. Ids of one millisecond are in no order, so they are sorted before they are given out. */
    add: async (added: readonly Partial<ListingToAdd>[]): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(
        `insert into listings (id, seller, token_type, amount, price_lamports, divisible)
         select (array(select new_id() from generate_series(1, cardinality($1::text[])) order by 1))[place], seller, token_type, amount, price, divisible
         from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::boolean[])
           with ordinality as added (seller, token_type, amount, price, divisible, place)
         order by place returning id`,
        [
          added.map(({ seller = randomWallet() }) => seller),
          added.map(({ tokenType = 'APPLE_JUICE' }) => tokenType),
          added.map(({ amount = 1 }) => amount),
          added.map(({ steps = 1 }) => steps * 1_000_000),
          added.map(({ divisible = false }) => divisible),
        ],
      )
      return rows.map((row) => row.id)
    },
    close: (id: string, status: 'sold' | 'removed') =>
      pool.query('update listings set status = $2, closed_at = now(), held_by = null, held_until = null where id = $1', [id, status]),
    hold: (id: string) =>
      pool.query(`update listings set held_by = coalesce(held_by, new_id()), held_until = now() + interval '1 minute' where id = $1`, [id]),
    empty: async () => {
      await pool.query('truncate listings, sellers cascade')
      caches.clear()
    },
    stop: async () => {
      await fastify.close()
      await chain.stop()
      await connection.close()
      await fresh.drop()
    },
  }
}

export function randomWallet(): string {
  return base58.encode(randomBytes(32))
}

/** Wallets that are the same in every run, so that the seed of a property is enough to repeat it. */
export function sampleWallets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => base58.encode(createHash('sha256').update(`wallet ${index}`).digest()))
}

export const drinks = defaultCatalogue.items.map(({ code }) => code)

/** The order that a sort promises, computed from the reply alone; equal listings are ordered by id. */
export function compareBy(sort: ListingSort): (a: Listing, b: Listing) => number {
  const key = (listing: Listing) => (sort.endsWith('unitPrice') ? listing.unitPrice : sort.endsWith('price') ? listing.price : 0)
  const sign = sort === 'newest' || sort.startsWith('-') ? -1 : 1
  const byId = (a: Listing, b: Listing) => (a._id < b._id ? -1 : a._id > b._id ? 1 : 0)
  return (a, b) => sign * (key(a) - key(b) || byId(a, b))
}
