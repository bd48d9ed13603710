import { createHash, randomBytes } from 'node:crypto'

import { base58 } from '@scure/base'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Listing, type ListingSort } from '@juicebar/contract/schemas'
import { fastify as createFastify } from 'fastify'
import { pino } from 'pino'
import { expect } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { recordCatalogue } from '../../src/catalogue/record-catalogue.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { replyWithFailure } from '../../src/http/server/failure-reply.ts'
import { createRateLimits } from '../../src/http/api/rate-limits.ts'
import { createApi } from '../../src/http/api/route.ts'
import { validatorCompiler } from '../../src/http/api/validation.ts'
import { compress, compressFigures } from '../../src/http/api/compression.ts'
import { createFailureLog } from '../../src/logging/failure-log.ts'
import { createFigures } from '../../src/market/figures/create-figures.ts'
import { figureRoutes } from '../../src/market/figures/routes.ts'
import { createPageCaches } from '../../src/market/page-cache.ts'
import { invalidatePagesOnWrites } from '../../src/market/invalidate-pages.ts'
import { marketRoutes } from '../../src/market/routes.ts'
import { type FeeTerms } from '../../src/purchases/fee.ts'
import { freshDatabase } from '../support/fresh-database.ts'

export interface ListingToAdd {
  seller: string
  tokenType: TokenType
  amount: number
  /** In steps of 0.001 SOL. */
  steps: number
  divisible?: boolean
}

export interface Page {
  listings: Listing[]
  nextCursor: string | null
}

export type MarketWorld = Awaited<ReturnType<typeof openMarketWorld>>

const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }

interface MarketOptions {
  endpoint?: string
  fee?: FeeTerms
  catalogue?: Catalogue
}

/** A server of its own with only the market's calls, by default without a chain, on a fresh database, and ways to fill that database. */
export async function openMarketWorld({ endpoint = 'http://127.0.0.1:9', fee = noFee, catalogue = defaultCatalogue }: MarketOptions = {}) {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined)
  await recordCatalogue(connection.database, catalogue)
  const { pool, database, close } = connection
  const caches = createPageCaches({ lastEventId: () => undefined, compress, compressFigures })
  const fastify = createFastify()
  fastify.setValidatorCompiler(validatorCompiler)
  fastify.decorate('failures', createFailureLog(pino({ level: 'silent' })))
  fastify.setErrorHandler(replyWithFailure)
  invalidatePagesOnWrites(fastify, caches)
  const authenticate = () => Promise.reject(new Error('nobody signs in here'))
  const api = createApi(fastify, { limits: await createRateLimits(fastify), studioApiKey: 'k'.repeat(32), authenticate })
  const chain = createChain({ endpoints: [endpoint], log: pino({ level: 'silent' }), probeMillis: 20 })
  await chain.start()
  marketRoutes(api, connection, { pageCache: caches.listings, probeDatabase: () => world.probe() }, { chain, fee, catalogue })
  figureRoutes(api, {
    figures: createFigures(connection, catalogue),
    catalogue,
    caches,
    probeDatabase: () => world.probe(),
  })

  const get = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    fastify.inject({ method: 'GET', url: '/api/marketplace/listings', query, headers })
  const page = async (query: Record<string, string> = {}): Promise<Page> => {
    const reply = await get(query)
    expect(reply.statusCode).toBe(200)
    return reply.json<Page>()
  }
  const world = {
    connection,
    pool,
    database,
    /** Of the server, whether the database is there. */
    probe: () => connection.probe(),
    fastify,
    pageCache: caches.listings,
    caches,
    get,
    page,
    quote: (query: Record<string, string>) => fastify.inject({ method: 'GET', url: '/api/marketplace/quote', query }),
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
    add: async (added: readonly ListingToAdd[]): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(
        `insert into listings (id, seller, token_type, amount, price_lamports, divisible)
         select (array(select new_id() from generate_series(1, cardinality($1::text[])) order by 1))[place], seller, token_type, amount, price, divisible
         from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::boolean[])
           with ordinality as added (seller, token_type, amount, price, divisible, place)
         order by place returning id`,
        [
          added.map((one) => one.seller),
          added.map((one) => one.tokenType),
          added.map((one) => one.amount),
          added.map((one) => one.steps * 1_000_000),
          added.map((one) => one.divisible ?? false),
        ],
      )
      return rows.map((row) => row.id)
    },
    close: (id: string, status: 'sold' | 'removed') =>
      pool.query('update listings set status = $2, closed_at = now(), held_by = null, held_until = null where id = $1', [id, status]),
    hold: (id: string) =>
      pool.query(`update listings set held_by = coalesce(held_by, new_id()), held_until = now() + interval '1 minute' where id = $1`, [id]),
    empty: () => pool.query('truncate listings, sellers cascade'),
    stop: async () => {
      await fastify.close()
      await chain.stop()
      await close()
      await fresh.drop()
    },
  }
  return world
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
