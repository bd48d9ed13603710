import { type DatabaseConnection } from '../database/connect.ts'
import { createCounts, type Counts } from './counts.ts'
import { marketFamilies } from './market-families.ts'
import { type MarketReading, readMarket } from './market-reading-store.ts'
import { listenForScrapes, type MetricsListener } from './metrics-listener.ts'
import { databaseUp, serverFamilies, type ServerState } from './readings.ts'
import { renderFamilies } from './text-format.ts'

/** A scraper usually waits ten seconds. */
const PATIENCE_MILLIS = 3_000

interface MetricsParts {
  connection: Pick<DatabaseConnection, 'probe' | 'figuresPool' | 'pool' | 'readPool' | 'replicaState'>
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
  const readFigures = () => (reading ??= readMarket(connection.figuresPool).finally(() => (reading = undefined)))

  const collect = async () => {
    const [isUp, market] = await Promise.all([
      inTime(connection.probe()).then(
        () => true,
        () => false,
      ),
      inTime(readFigures()).catch(() => counts.scrapeFailed('database')),
    ])
    const { pool, readPool, figuresPool, replicaState } = connection
    const pools = [
      { pool: 'calls', use: pool.use },
      { pool: 'market', use: readPool.use },
      { pool: 'figures', use: figuresPool.use },
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
