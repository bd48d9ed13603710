import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTcpProxy } from '../../chaos/stack/tcp-proxy.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { isDatabaseOutage } from '../../src/runtime/database-failures.ts'
import { startApp } from '../support/start-app.ts'
import { type Node, type PrimaryAndStandby, startPrimaryAndStandby } from './primary-and-standby.ts'
import { randomWallet } from '../market/market-world.ts'

/** How long a server may take to find the primary once there is one. */
const goodAgain = { timeout: 10_000, interval: 50 }
const patience = { interval: 50 }

let nodes: PrimaryAndStandby

beforeAll(async () => {
  nodes = await startPrimaryAndStandby()
})

afterAll(() => nodes.stop())

async function addListing(node: Node): Promise<string> {
  const values = `values ($1, 'GRAPE_SODA', 3, 5000000)`
  const rows = await node.run<{ id: string }>(`insert into listings (seller, token_type, amount, price_lamports) ${values} returning id`, [
    randomWallet(),
  ])
  return rows[0]!.id
}

async function openProxy(node: Node) {
  const proxy = await startTcpProxy(node.url)
  onTestFinished(() => proxy.cut())
  return proxy
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A server and what its callers see. */
async function startServer(url: string) {
  const { get, origin, connection } = await startApp(url)
  return {
    connection,
    health: async () => (await get('/health')).status,
    read: async (listingId: string) => (await get(`/api/marketplace/listings/${listingId}`)).status,
    write: async () => {
      const body = JSON.stringify({ walletAddress: randomWallet() })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${origin}/api/auth/nonce`, { method: 'POST', headers, body })).status
    },
  }
}

const both = (a: Node, b: Node, end = '') => a.url.replace(`:${a.port}/`, `:${a.port},127.0.0.1:${b.port}/`) + end

describe('with a primary and a stand-by', () => {
  it('of several hosts, the one that takes writes is used, wherever it is in the list', async () => {
    for (const [first, second] of [
      [nodes.primary, nodes.standby],
      [nodes.standby, nodes.primary],
    ] as const) {
      const { pool, database, probe, close } = connectDatabase(both(first, second, '?target_session_attrs=read-write'), () => undefined)
      onTestFinished(close)
      await probe()
      await database
        .insertInto('players')
        .values({ walletAddress: randomWallet() as never })
        .execute()
      expect((await pool.query('select inet_server_port() as port')).rows).toEqual([{ port: nodes.primary.port }])
    }
  })

  it('a host that takes connections and then says nothing is passed over', async () => {
    const port = await listen(createServer())
    const frozen = { ...nodes.standby, port, url: nodes.standby.url.replace(String(nodes.standby.port), String(port)) }
    const { pool, close } = connectDatabase(both(frozen, nodes.primary), () => undefined)
    onTestFinished(close)
    expect((await pool.query('select inet_server_port() as port')).rows).toEqual([{ port: nodes.primary.port }])

    const alone = connectDatabase(both(frozen, frozen), () => undefined)
    onTestFinished(alone.close)
    expect(await alone.pool.query('select').catch(isDatabaseOutage)).toBe(true)
  })

  it('when no host can be used, not every caller tries again', async () => {
    let tried = 0
    const dying = createServer((socket) => {
      tried += 1
      socket.destroy()
    })
    const { pool, close } = connectDatabase(`postgresql://u@127.0.0.1:${await listen(dying)}/x`, () => undefined)
    onTestFinished(close)
    await expect(pool.query('select')).rejects.toThrow('Connection terminated')
    const others = await Promise.allSettled(Array.from({ length: 50 }, () => pool.query('select')))
    expect(others.every(({ status }) => status === 'rejected')).toBe(true)
    expect(tried).toBe(1)
  })

  it('a host that refuses the password is not passed over', async () => {
    let tried = 0
    const port = await listen(createServer(() => (tried += 1)))
    const { pool, close } = connectDatabase(
      both(nodes.primary, { ...nodes.primary, port }).replace(':password@', ':wrong@'),
      () => undefined,
    )
    onTestFinished(close)
    await expect(pool.query('select')).rejects.toMatchObject({ code: '28P01' })
    expect(tried).toBe(0)
  })

  it('a server whose new connections reach the stand-by says so, answers nothing stale, and is good again without help', async () => {
    const proxy = await openProxy(nodes.primary)
    const server = await startServer(proxy.url)
    await expect.poll(server.health, patience).toBe(200)
    await nodes.standby.run('select pg_wal_replay_pause()')
    const id = await addListing(nodes.primary)
    expect(await server.read(id)).toBe(200)

    proxy.moveTo(nodes.standby.url)
    proxy.reset()
    expect(await server.health()).toBe(503)
    expect(await Promise.all(Array.from({ length: 30 }, () => server.read(id)))).toEqual(Array.from({ length: 30 }, () => 503))
    expect(await server.write()).toBe(503)
    await nodes.standby.run('select pg_wal_replay_resume()')

    proxy.moveTo(nodes.primary.url)
    await expect.poll(server.health, goodAgain).toBe(200)
    expect(await server.write()).toBe(200)
    expect(await server.read(id)).toBe(200)
  })

  it('pages that may lag are read from the replica, and from the primary while it is behind or away', async () => {
    const proxy = await openProxy(nodes.standby)
    const log = { warn: () => undefined }
    const { replica, replicaState, close } = connectDatabase(nodes.primary.url, () => undefined, { replica: { url: proxy.url, log } })
    onTestFinished(close)
    const readFrom = async () => (await replica.query<{ port: number }>('select inet_server_port() as port')).rows[0]?.port
    await expect.poll(readFrom, patience).toBe(nodes.standby.port)
    expect(replicaState?.isUsed()).toBe(true)
    expect(replicaState?.use()).toMatchObject({ waiting: 0, max: 10 })

    await nodes.standby.run('select pg_wal_replay_pause()')
    await addListing(nodes.primary)
    await expect.poll(readFrom, patience).toBe(nodes.primary.port)
    expect(replicaState?.isUsed()).toBe(false)
    expect(replicaState?.lagSeconds()).toBeGreaterThanOrEqual(2)
    await nodes.standby.run('select pg_wal_replay_resume()')
    await expect.poll(readFrom, patience).toBe(nodes.standby.port)

    await proxy.cut()
    expect(await readFrom()).toBe(nodes.primary.port)
    await proxy.restore()
    await expect.poll(readFrom, patience).toBe(nodes.standby.port)
    proxy.silence()
    await expect.poll(readFrom, patience).toBe(nodes.primary.port)
    await expect.poll(readFrom, patience).toBe(nodes.standby.port)
  })

  it('a database that is not a copy of the first is never read from', async () => {
    const warnings: unknown[] = []
    const log = { warn: (fields: unknown) => void warnings.push(fields) }
    const other = nodes.standby.url.replace(/\w+$/, 'postgres')
    const { replica, close } = connectDatabase(nodes.primary.url, () => undefined, { replica: { url: other, log } })
    onTestFinished(close)
    await expect.poll(() => warnings.length, patience).toBe(1)
    expect(warnings).toMatchObject([{ outage: 'replica', reason: expect.stringContaining('no replica of the database') }])
    expect((await replica.query('select inet_server_port() as port')).rows).toEqual([{ port: nodes.primary.port }])
  })

  // The last one: it promotes the stand-by.
  it('a server leaves a primary that takes no writes any more, though nobody cuts its connections', async () => {
    const proxy = await openProxy(nodes.primary)
    const [balanced, listed] = await Promise.all([proxy.url, both(nodes.primary, nodes.standby)].map(startServer))
    if (!balanced || !listed) throw new Error('two servers were started')
    for (const { health } of [balanced, listed]) await expect.poll(health, patience).toBe(200)

    await nodes.primary.run('alter system set default_transaction_read_only = on')
    await nodes.primary.run('select pg_reload_conf()')
    for (const { health, write } of [balanced, listed]) {
      await expect.poll(health, patience).toBe(503)
      expect(await write()).toBe(503)
    }

    await nodes.standby.run('select pg_promote()')
    proxy.moveTo(nodes.standby.url)
    for (const { health } of [balanced, listed]) await expect.poll(health, goodAgain).toBe(200)
    const id = await addListing(nodes.standby)
    for (const { connection, read, write } of [balanced, listed]) {
      expect(await write()).toBe(200)
      expect(await Promise.all(Array.from({ length: 30 }, () => read(id)))).toEqual(Array.from({ length: 30 }, () => 200))
      expect((await connection.readPool.query('select inet_server_port() as port')).rows).toEqual([{ port: nodes.standby.port }])
    }
  })
})
