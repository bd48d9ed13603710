import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { createApp } from '../src/app.ts'
import { createRelay } from '../src/chain/relay/relay.ts'
import { createChain } from '../src/chain/client/solana-chain.ts'
import { readConfig } from '../src/config.ts'
import { connectDatabase } from '../src/database/connect.ts'
import { findFreePort } from '../src/embedded/free-port.ts'
import { freshDatabase } from './support/fresh-database.ts'

const log = pino({ level: 'silent' })
const migrationsFolder = new URL('../migrations', import.meta.url).pathname

let fresh: Awaited<ReturnType<typeof freshDatabase>>

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

/** A connection to the database that can be cut and restored. */
async function openLine(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from
        .on('error', () => to.destroy())
        .on('close', () => (open.delete(from), to.destroy()))
        .pipe(to)
    }
  })
  // Not a port that the system hands out: while the line is cut, an outgoing connection could get it.
  const port = await findFreePort()
  relay.listen(port, '127.0.0.1')
  await once(relay, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  const cut = async () => {
    const closed = once(relay, 'close')
    relay.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  const restore = async () => {
    relay.listen(port, '127.0.0.1')
    await once(relay, 'listening')
  }
  return { url: url.href, cut, restore }
}

async function startApp(databaseUrl: string) {
  const connection = connectDatabase(databaseUrl, () => undefined)
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log })
  const config = { ...readConfig({}), port: 0 }
  const keys = { jwtSecret: 'j'.repeat(32), studioApiKey: 's'.repeat(32) }
  const relay = createRelay(chain.pool, { demo: false })
  const app = await createApp({ config, ...keys, connection, chain, relay, log, version: '1.2.3', webFolder: '/nowhere', migrationsFolder })
  const started = app.start()
  onTestFinished(async () => {
    await app.stop()
    await started
    await chain.stop()
    await connection.close()
  })
  await expect.poll(() => app.fastify.server.listening).toBe(true)
  const get = async (path: string) => {
    const reply = await fetch(`${app.fastify.listeningOrigin}${path}`)
    return { status: reply.status, body: await reply.json() }
  }
  return { get, pool: connection.pool }
}

describe('a server', () => {
  it('starts before its database, survives its loss and works again without a restart', async () => {
    const line = await openLine(fresh.url)
    await line.cut()
    const { get } = await startApp(line.url)
    onTestFinished(() => line.cut())

    const down = { status: 503, body: { code: 'DATABASE_DOWN' } }
    const up = { status: 200, body: { listings: [] } }
    const patience = { interval: 50 }
    expect(await get('/api/marketplace/listings')).toMatchObject(down)
    expect(await get('/health')).toEqual({ status: 503, body: { status: 'down', database: 'down', chain: 'down', version: '1.2.3' } })
    expect(await get('/api/config')).toMatchObject({ status: 200, body: { productName: 'Juicebar' } })

    await line.restore()
    await expect.poll(() => get('/api/marketplace/listings'), patience).toMatchObject(up)
    expect(await get('/health')).toEqual({ status: 200, body: { status: 'ok', database: 'ok', chain: 'down', version: '1.2.3' } })

    await line.cut()
    expect(await get('/api/marketplace/listings?sort=oldest')).toMatchObject(down)
    expect(await get('/health')).toMatchObject({ status: 503 })

    await line.restore()
    await expect.poll(() => get('/api/marketplace/listings'), patience).toMatchObject(up)
  })

  it('is not reported down because it is busy', async () => {
    const { get, pool } = await startApp(fresh.url)
    await expect.poll(() => get('/health')).toMatchObject({ status: 200 })
    const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
    onTestFinished(() => clients.forEach((client) => client.release()))
    expect(await get('/health')).toMatchObject({ status: 200, body: { database: 'ok' } })
  })
})
