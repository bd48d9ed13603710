import { findFreePort } from '../../src/embedded/free-port.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { asMillis, compare, type Line, type Sample } from '../measure/comparison.ts'
import { processCpu } from '../measure/cpu.ts'
import { runLoad } from '../measure/http-load.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'

const LISTINGS = 1_000
const CONNECTIONS = 32
const SECONDS = 2
/** Fifteen times as often as Prometheus does. */
const SCRAPE_MILLIS = 1_000
/** What metrics may cost. */
const MOST_RATIO = 1.01

/** The calls that cost least, where counting weighs most. */
const calls = [
  { name: 'first page from memory', path: '/api/marketplace/listings' },
  { name: 'signs of life', path: '/health/live' },
]

/**
 * CPU milliseconds of a server for a call, with metrics that are scraped all the time and without any. CPU time, because a busy machine hardly
 * changes it: a hundredth of the calls a second would drown in the noise.
 */
export async function benchmarkMetrics(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const databaseUrl = await databases.market(LISTINGS)
  const metricsPort = await findFreePort()
  const counted = await startServer({ role: 'product', databaseUrl, metricsPort })
  const plain = await startServer({ role: 'product', databaseUrl })
  const scraping = setInterval(() => void scrape(metricsPort), SCRAPE_MILLIS)
  try {
    const lines: Line[] = []
    for (const { name, path } of calls) {
      const comparison = { name: `CPU with metrics, ${name}`, reference: 'without', unit: 'ms', goal: { most: MOST_RATIO } }
      const [ours, theirs] = [counted, plain].map((server) => () => perCpuSecond(server, path))
      if (ours && theirs) lines.push(asMillis(await compare({ ...comparison, ours, theirs }, pairs)))
    }
    return lines
  } finally {
    clearInterval(scraping)
    for (const { stop } of [counted, plain]) stop()
  }
}

async function perCpuSecond({ pid, port }: ServerProcess, path: string): Promise<Sample> {
  const before = await processCpu(pid)
  const { millis } = await runLoad({ port, connections: CONNECTIONS, seconds: SECONDS, next: () => ({ method: 'GET', path }) })
  return { perSecond: (1000 * millis.length) / ((await processCpu(pid)) - before), millis }
}

async function scrape(port: number): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`)
  await reply.arrayBuffer()
}
