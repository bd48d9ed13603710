import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { findFreePort } from '../../src/embedded/free-port.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { asMillis, type Line, lineOf, type Sample } from '../measure/comparison.ts'
import { JWT_SECRET, STUDIO_KEY } from '../servers/product-server.ts'
import { startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'

const run = promisify(execFile)

const BUILT_SERVER = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const webFolder = fileURLToPath(new URL('../../../web', import.meta.url))
const LISTINGS = 1_000
const UNLIMITED = 1_000_000
const POLL_MILLIS = 100
const MOST_OUTPUT = 10_000_000
/** The bare page is blank until all of its script has run, so that nothing blocks it afterwards: it counts as blocked for this long. */
const LEAST_BLOCKING = 100

/** What `web/bench/page-bench.ts` measures, in milliseconds. */
interface PageLoad {
  blocking: number
  script: number
  firstPaint: number
  largestPaint: number
}

/** How much more than the bare page's the market's may be. */
const goals: Record<keyof PageLoad, number> = { blocking: 1.5, script: 2, firstPaint: 1, largestPaint: 1 }
const titles: Record<keyof PageLoad, string> = {
  blocking: 'time blocked by long tasks',
  script: 'script',
  firstPaint: 'first paint',
  largestPaint: 'largest paint',
}

/**
 * Loads the market, the page of an item and that of a listing on a slow phone, in turn with a page of bare React that shows the same
 * elements with the same styles and pictures.
 */
export async function benchmarkPage(databases: BenchDatabases, pairs: number, say: (sentence: string) => void): Promise<Line[]> {
  if (!existsSync(BUILT_SERVER)) throw new Error('There is no built server to start. Run `npm run build` first.')
  const databaseUrl = await databases.market(LISTINGS)
  const endpoints = await startRpcEndpoints([UNLIMITED])
  const port = await findFreePort()
  const secrets = { JWT_SECRET, STUDIO_API_KEY: STUDIO_KEY, REFERENCE_SECRET: 'bench-references-bench-references' }
  const child = spawn(process.execPath, [BUILT_SERVER], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      SOLANA_RPC_URL: endpoints.walletsUrl,
      LOG_LEVEL: 'fatal',
      ...secrets,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    const market = `http://localhost:${port}`
    const listing = await Promise.race([firstListing(market), exited.then(() => Promise.reject(new Error('the server ended')))])
    const pages = { 'the market': '/', 'an item': `/drink/${listing.tokenType}`, 'a listing': `/listing/${listing._id}` }
    say('  building the bare page ...')
    await run('npx', ['vite', 'build', '--config', 'vite.reference.config.ts'], { cwd: webFolder })
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', `${webFolder}/bench/page-bench.ts`, market, String(pairs), ...Object.values(pages)],
      { maxBuffer: MOST_OUTPUT },
    )
    const loads = JSON.parse(stdout) as Record<string, { ours: PageLoad[]; theirs: PageLoad[] }>
    return Object.entries(pages).flatMap(([page, path]) => linesOf(page, loads[path] ?? { ours: [], theirs: [] }))
  } finally {
    child.kill('SIGKILL')
    await exited
    endpoints.stop()
  }
}

async function firstListing(market: string): Promise<{ _id: string; tokenType: string }> {
  for (;;) {
    const reply = await fetch(`${market}/api/marketplace/listings`).catch(() => undefined)
    const { listings } = reply?.ok ? ((await reply.json()) as { listings: { _id: string; tokenType: string }[] }) : { listings: [] }
    if (listings[0]) return listings[0]
    await delay(POLL_MILLIS)
  }
}

function linesOf(page: string, { ours, theirs }: { ours: PageLoad[]; theirs: PageLoad[] }): Line[] {
  return (Object.keys(goals) as (keyof PageLoad)[]).map((figure) => {
    const named = { name: `${page}: ${titles[figure]}`, reference: 'bare React', unit: 'ms', goal: { most: goals[figure] } }
    return asMillis(lineOf(named, samplesOf(ours, figure, 1), samplesOf(theirs, figure, figure === 'blocking' ? LEAST_BLOCKING : 1)))
  })
}

/** @param least in milliseconds, the least that each load counts as */
function samplesOf(loads: PageLoad[], figure: keyof PageLoad, least: number): Sample[] {
  return loads.map((load) => {
    // JSON has no NaN.
    if (!Number.isFinite(load[figure])) throw new Error(`the browser reported no ${titles[figure]}`)
    const millis = Math.max(least, load[figure])
    return { perSecond: 1_000 / millis, millis: [millis] }
  })
}
