import { once } from 'node:events'
import { createServer } from 'node:http'
import { CONTENT_TYPE, renderFamilies } from './instruments.ts'
import { type DatabaseConnection } from '../database/connect.ts'
import { createCounts, type Counts } from './counts.ts'
import { marketFamilies, type MarketReading, readMarket } from './market-readings.ts'
import { databaseUp, serverFamilies, type ServerState } from './readings.ts'

const PATH = '/metrics'
/** A scraper sends a line and a few headers. */
const REQUEST_MILLIS = 5_000
/** Far more than the number of scrapers. */
const MAX_CONNECTIONS = 50

export interface MetricsListener {
  /** The one that it listens on. */
  port: number
  close(): Promise<void>
}

/**
 * Answers GET /metrics on an address of its own, and nothing else.
 * @throws Error with a sentence if the address cannot be listened on
 */
async function listenForScrapes({ host, port }: { host: string; port: number }, render: () => Promise<string>): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_MILLIS, headersTimeout: REQUEST_MILLIS }, (request, reply) => {
    const end = (status: number, headers: Record<string, string>, body: string) =>
      void reply.writeHead(status, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', ...headers }).end(body)
    const text = { 'content-type': 'text/plain; charset=utf-8' }
    if (request.url?.split('?')[0] !== PATH) return end(404, text, 'Only /metrics is served here.\n')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return end(405, { ...text, allow: 'GET, HEAD' }, 'Only GET is served here.\n')
    render().then(
      (body) => end(200, { 'content-type': CONTENT_TYPE }, body),
      () => end(500, text, 'The metrics could not be collected.\n'),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    const sentence = `Metrics cannot be served on ${host}:${port} (${code}). Set METRICS_HOST and METRICS_PORT to an address of this machine that is free.`
    throw new Error(sentence, { cause })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A scraper usually waits ten seconds. */
const PATIENCE_MILLIS = 3_000

interface MetricsParts {
  connection: Pick<DatabaseConnection, 'probe' | 'watchPool' | 'pool' | 'readPool' | 'replicaState'>
  /** The current readings of the server's parts other than the database. */
  state: () => Omit<ServerState, 'pools' | 'replica'>
}

/** Metrics of one server in Prometheus' text format, on a listener of their own. */
export interface Metrics {
  /** The counters that the parts of the server increment. */
  readonly counts: Counts
  /** Starts to serve; the parts of the server are read for each scrape. */
  listen(parts: MetricsParts): Promise<void>
  /** The port that is listened on; undefined before that. */
  port(): number | undefined
  close(): Promise<void>
}

/** @returns undefined without an address, in which case nothing is counted */
export function createMetrics(address: { host: string; port: number } | undefined): Metrics | undefined {
  if (!address) return undefined
  const counts = createCounts()
  let listener: MetricsListener | undefined
  return {
    counts,
    listen: async (parts) => void (listener = await listenForScrapes(address, createCollector(counts, parts))),
    port: () => listener?.port,
    close: async () => listener?.close(),
  }
}

/** Returns a function that collects everything once for all concurrent callers. It does not reject if a part is missing. */
function createCollector(counts: Counts, { connection, state }: MetricsParts): () => Promise<string> {
  let underWay: Promise<string> | undefined
  /** A read that hangs is not started a second time. */
  let reading: Promise<MarketReading> | undefined
  const readFigures = () => (reading ??= readMarket(connection.watchPool).finally(() => (reading = undefined)))

  const collect = async () => {
    const [isUp, market] = await Promise.all([
      inTime(connection.probe()).then(
        () => true,
        () => false,
      ),
      inTime(readFigures()).catch(() => counts.scrapeFailed('database')),
    ])
    const { pool, readPool, watchPool, replicaState } = connection
    const pools = [
      { pool: 'calls', use: pool.use },
      { pool: 'market', use: readPool.use },
      { pool: 'watch', use: watchPool.use },
      ...(replicaState ? [{ pool: 'replica', use: replicaState.use() }] : []),
    ]
    const replica = replicaState && { isUsed: replicaState.isUsed(), lagSeconds: replicaState.lagSeconds() }
    return renderFamilies([
      ...serverFamilies({ ...state(), pools, replica }),
      databaseUp(isUp),
      ...marketFamilies(market ?? undefined),
      ...counts.families(),
    ])
  }
  return () => (underWay ??= collect().finally(() => (underWay = undefined)))
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MILLIS)))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
