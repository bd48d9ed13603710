import { findFreePort } from '../../src/embedded/free-port.ts'
import { createCounts } from '../../src/metrics/counts.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { asMillis, compare, type Line, type Sample } from '../measure/comparison.ts'
import { processCpu } from '../measure/cpu.ts'
import { runLoad } from '../measure/http-load.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'

const LISTINGS = 1_000
const CONNECTIONS = 32
const SECONDS = 2
const COUNTED = 2_000_000
const SCRAPES = 200
/** As often as Prometheus asks by default; deploy/ asks no more often. */
const SCRAPE_SECONDS = 15
/** What metrics may cost, of what is spent anyway. */
const MOST_RATIO = 0.01

/** The calls that cost least, where counting weighs most. */
const calls = [
  { name: 'first page from memory', path: '/api/marketplace/listings' },
  { name: 'signs of life', path: '/health/live' },
]

/**
 * CPU time that metrics take: of a call for counting it, and of a core for scrapes. Each is measured by itself, because two servers, one with
 * metrics and one without, differ by more than a hundredth for reasons of their own.
 */
export async function benchmarkMetrics(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const databaseUrl = await databases.market(LISTINGS)
  const metricsPort = await findFreePort()
  const server = await startServer({ role: 'product', databaseUrl, metricsPort })
  try {
    const lines: Line[] = []
    for (const { name, path } of calls) {
      const comparison = { name: `counting a call, ${name}`, reference: 'CPU of the call', unit: 'ms', goal: { most: MOST_RATIO } }
      lines.push(asMillis(await compare({ ...comparison, ours: countCalls, theirs: () => perCpuSecond(server, path) }, pairs)))
    }
    const comparison = { name: `a scrape each ${SCRAPE_SECONDS} s`, reference: 'CPU of a core', unit: 'ms', goal: { most: MOST_RATIO } }
    const core = () => Promise.resolve({ perSecond: 1 / SCRAPE_SECONDS, millis: [] })
    lines.push(asMillis(await compare({ ...comparison, ours: () => scrapes(server, metricsPort), theirs: core }, pairs)))
    return lines
  } finally {
    server.stop()
  }
}

/** Does what a server does for each call that it counts. */
function countCalls(): Promise<Sample> {
  const counts = createCounts()
  const before = process.cpuUsage()
  for (let turn = 0; turn < COUNTED; turn++) {
    const startedAt = performance.now()
    counts.answered(calls[turn % calls.length]?.name, 200, performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(before)
  return Promise.resolve({ perSecond: (1_000_000 * COUNTED) / (user + system), millis: [] })
}

async function perCpuSecond({ pid, port }: ServerProcess, path: string): Promise<Sample> {
  const before = await processCpu(pid)
  const { millis } = await runLoad({ port, connections: CONNECTIONS, seconds: SECONDS, next: () => ({ method: 'GET', path }) })
  return { perSecond: (1000 * millis.length) / ((await processCpu(pid)) - before), millis }
}

async function scrapes({ pid }: ServerProcess, metricsPort: number): Promise<Sample> {
  const before = await processCpu(pid)
  for (let turn = 0; turn < SCRAPES; turn++) {
    const reply = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    await reply.arrayBuffer()
  }
  return { perSecond: (1000 * SCRAPES) / ((await processCpu(pid)) - before), millis: [] }
}
