import { type TokenType } from '@juicebar/contract/catalogue'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database, type DatabaseConnection, type Reads } from '../database/connect.ts'
import { RequestBatch } from '../runtime/request-batch.ts'
import { type CandleQuery, candleJson, depthJson, summaryJson, tradeCursor, tradeJson } from './figures.ts'
import { readCandles, readLevels, rollUpSales, readSummary, readTrades, type TradesQuery } from './figure-store.ts'
import { type Job } from '../runtime/repeat.ts'

/** A database that does not answer delays only the callers that have asked it. */
const PATIENCE_MILLIS = 2_000
/** Reads of all listings may take at most this share of the time, but wait no longer than the second within which changes must show. */
const PAUSES = 4
const MAX_PAUSE_MILLIS = 700

/** What the market traded and offers, as JSON. Every result includes all sales settled before the request. */
export interface Figures {
  trades(query: TradesQuery): Promise<string>
  candles(query: CandleQuery): Promise<string>
  depth(tokenType: TokenType): Promise<string>
  summary(): Promise<string>
}

/** Creates a server's reader: sales are rolled up and listings counted once for all concurrent callers. */
export function createFigures(
  { database, readPool, replica }: Pick<DatabaseConnection, 'database' | 'readPool' | 'replica'>,
  { items }: Pick<Catalogue, 'items'>,
): Figures {
  const codes = items.map(({ code }) => code)
  const rolledUp = createRollUp(database)
  const depths = spaced<TokenType>((tokenTypes) => readDepths(readPool, tokenTypes))
  const summaries = spaced<'all'>(async () => new Map([['all', summaryJson(await readSummary(readPool, codes))]]))
  return {
    trades: async (query) => {
      if (query.after) return renderTrades(replica, query)
      await rolledUp()
      return renderTrades(readPool, query)
    },
    candles: async (query) => {
      await rolledUp()
      return `{"candles":[${(await readCandles(readPool, query)).map(candleJson).join(',')}]}`
    },
    depth: async (tokenType) => (await depths.ask([tokenType])).get(tokenType) ?? depthJson([]),
    summary: async () => {
      await rolledUp()
      return (await summaries.ask(['all'])).get('all') ?? summaryJson([])
    },
  }
}

function createRollUp(database: Database): () => Promise<unknown> {
  const rollUp = async () => {
    await rollUpSales(database)
    return new Map<'all', never>()
  }
  const batch = new RequestBatch<'all', never>(rollUp, { patienceMillis: PATIENCE_MILLIS })
  return () => batch.ask(['all'])
}

/** A batch that runs less often the longer it takes. */
function spaced<K>(read: (keys: readonly K[]) => Promise<ReadonlyMap<K, string>>): RequestBatch<K, string> {
  let took = 0
  const timed = async (keys: readonly K[]) => {
    const startedAt = performance.now()
    const values = await read(keys)
    took = performance.now() - startedAt
    return values
  }
  const pauseMillis = () => Math.min(MAX_PAUSE_MILLIS, PAUSES * took)
  return new RequestBatch(timed, { pauseMillis, patienceMillis: PATIENCE_MILLIS })
}

async function readDepths(reads: Reads, tokenTypes: readonly TokenType[]): Promise<Map<TokenType, string>> {
  const depths = new Map<TokenType, string>()
  for (const tokenType of tokenTypes) depths.set(tokenType, depthJson(await readLevels(reads, tokenType)))
  return depths
}

async function renderTrades(reads: Reads, query: TradesQuery): Promise<string> {
  const { trades, next } = await readTrades(reads, query)
  return `{"trades":[${trades.map(tradeJson).join(',')}],"nextCursor":${next ? `"${tradeCursor(next)}"` : 'null'}}`
}

const EVERY_MILLIS = 1_000

/**
 * Gives every sale its place, and keeps the candles up to date, within about a second, even if nobody reads them; every server does this.
 */
export function rollingUpJob(database: Database): Job {
  return {
    name: 'order of sales and candles',
    everyMillis: EVERY_MILLIS,
    failure: 'sales cannot be put in order, or candles not brought up to date; trying again',
    run: async (signal) => {
      while (!signal.aborted && (await rollUpSales(database)) > 0);
    },
  }
}
