import { type Logger, pino } from 'pino'
import { expect, onTestFinished, vi } from 'vitest'
import { defaultCatalogue } from './catalogue.ts'
import { createApp } from '../../src/app/app.ts'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { readConfig } from '../../src/config.ts'
import { connectDatabase, type DatabaseOptions } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { checkAgainstDocument } from '../http/documented.ts'
import { FEW_CONNECTIONS } from './few-connections.ts'
import { migrationsFolder } from './migrations-folder.ts'

const silent = pino({ level: 'silent' })

export const studioApiKey = 's'.repeat(32)

interface AppOptions extends DatabaseOptions {
  log?: Logger
  /** As the environment has them. */
  settings?: Record<string, string>
  /** Serves metrics on a free port. */
  metrics?: boolean
  catalogue?: Catalogue
  /** Otherwise it has none: nothing can be reached. */
  chain?: SolanaChain
}

/** A whole server on a database, without a chain unless one is given. It is stopped when the test is over. */
export async function startApp(databaseUrl: string, options: AppOptions = {}) {
  const app = await openApp(databaseUrl, options)
  onTestFinished(() => app.stop())
  return app
}

/** As `startApp`; whoever opens it stops it. */
export async function openApp(databaseUrl: string, given: AppOptions = {}) {
  const { log = silent, settings = {}, metrics = false, catalogue = defaultCatalogue, ...options } = given
  const failures = createFailureLog(log)
  const connection = connectDatabase(databaseUrl, ({ message }) => failures.database.failed(message), {
    ...FEW_CONNECTIONS,
    ...options,
  })
  const chain = given.chain ?? createChain({ endpoints: ['http://127.0.0.1:9'], log })
  const read = readConfig(settings)
  const config = {
    ...read,
    port: settings['PORT'] === undefined ? 0 : read.port,
    ...(metrics && { metrics: { host: '127.0.0.1', port: 0 } }),
  }
  const app = await createApp({
    catalogue,
    config,
    jwtSecret: 'j'.repeat(32),
    studioApiKey,
    connection,
    chain,
    endpoints: chain.pool.endpoints,
    relay: createRelay(chain.pool, { demo: false }),
    log,
    failures,
    version: '1.2.3',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  const started = app.start()
  const stop = async (options?: Parameters<typeof app.stop>[0]) => {
    await app.stop(options)
    await started
    if (given.chain === undefined) await chain.stop()
    await connection.close()
  }
  await vi.waitFor(() => expect(app.fastify.server.listening).toBe(true), { timeout: 30_000 })
  const origin = app.fastify.listeningOrigin
  const get = async (path: string) => {
    const reply = await fetch(`${origin}${path}`)
    return { status: reply.status, body: await reply.json() }
  }
  const fetchPage = (headers: Record<string, string> = {}, query = '') => fetch(`${origin}/api/marketplace/listings${query}`, { headers })
  const metricsUrl = `http://127.0.0.1:${app.metrics?.port()}/metrics`
  return { origin, get, fetchPage, connection, started, stop, metrics: app.metrics, metricsUrl }
}

export type DocumentedCall = Awaited<ReturnType<typeof documentedCalls>>

/** Calls the API of a server; every reply must be one that its API document describes. */
export async function documentedCalls(origin: string) {
  const problemsOf = await checkAgainstDocument(origin)
  return async (method: string, path: string, token?: string, body?: unknown) => {
    const reply = await fetch(`${origin}/api${path}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    expect(problemsOf(method, `/api${path}`, { status: reply.status, headers: reply.headers, text })).toEqual([])
    return { status: reply.status, body: JSON.parse(text) }
  }
}
