import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import pg from 'pg'

import { type BenchDatabases } from '../databases/bench-databases.ts'
import { fillSettledPurchases } from '../databases/settled-purchases.ts'
import { type Line } from '../measure/comparison.ts'
import { processCpu } from '../measure/cpu.ts'
import { STUDIO_KEY } from '../servers/product-server.ts'
import { startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'
import { startServer } from '../servers/start-server.ts'

const run = promisify(execFile)

const AUDIT = fileURLToPath(new URL('../../src/audit-command.ts', import.meta.url))
/** A tenth is audited first: a whole audit may be no slower for each payment, and take no more memory. */
const SHARE = 0.1
const SAMPLE_MILLIS = 500

export interface AuditOptions {
  /** Settled purchases. */
  purchases: number
  /** Requests a second that the endpoint allows. */
  limit: number
  say: (sentence: string) => void
}

interface Audited {
  perSecond: number
  /** Of the server, for each payment. */
  cpuMillis: number
  megabytes: number
}

/** `npm run audit` on markets of settled purchases, with an endpoint that nobody else uses. */
export async function benchmarkAudit(databases: BenchDatabases, { purchases, limit, say }: AuditOptions): Promise<Line[]> {
  const part = await audit(databases, Math.round(purchases * SHARE), limit, say)
  const whole = await audit(databases, purchases, limit, say)
  const name = `audit, ${purchases.toLocaleString('en')} payments`
  const common = { reference: `${(purchases * SHARE).toLocaleString('en')} payments`, p50: NaN, p99: NaN }
  const ratio = (of: keyof Audited) => ({ ours: whole[of], theirs: part[of], ratio: whole[of] / part[of] })
  say(`  ${whole.perSecond.toFixed(0)} payments/s`)
  return [
    { ...common, name: `${name}, CPU of one`, unit: 'ms', goal: { most: 1.2 }, ...ratio('cpuMillis') },
    { ...common, name: `${name}, memory`, unit: 'MB', goal: { most: 1.2 }, ...ratio('megabytes') },
  ]
}

async function audit(databases: BenchDatabases, purchases: number, limit: number, say: (sentence: string) => void): Promise<Audited> {
  say(`  ${purchases.toLocaleString('en')} purchases ...`)
  const databaseUrl = await databases.empty()
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  await fillSettledPurchases(pool, purchases)
  await pool.end()
  const endpoints = await startRpcEndpoints([limit])
  const product = await startServer({
    role: 'product',
    databaseUrl,
    chain: { endpoints: endpoints.urls, requestsPerSecond: limit, holdSeconds: 60 },
  })
  let megabytes = 0
  const sampling = setInterval(() => void memoryOf(product.pid).then((now) => (megabytes = Math.max(megabytes, now))), SAMPLE_MILLIS)
  try {
    const startedAt = performance.now()
    const cpuBefore = await processCpu(product.pid)
    const env = { ...process.env, PORT: String(product.port), STUDIO_API_KEY: STUDIO_KEY }
    const command = spawn(process.execPath, ['--import', 'tsx', AUDIT], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code]: unknown[] = await once(command, 'exit')
    if (code !== 0) throw new Error(`the audit ended with ${String(code)}`)
    const seconds = (performance.now() - startedAt) / 1000
    say(`  audited in ${seconds.toFixed(0)} s, in at most ${megabytes.toFixed(0)} MB`)
    const cpuMillis = ((await processCpu(product.pid)) - cpuBefore) / purchases
    return { perSecond: purchases / seconds, cpuMillis, megabytes }
  } finally {
    clearInterval(sampling)
    product.stop()
    endpoints.stop()
  }
}

/** The resident memory of a process in megabytes. */
async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
