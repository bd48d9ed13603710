import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { CommitGate, CONNECTIONS, DatabasePool } from '../../src/database/database-pool.ts'
import { CommitsWaitError, UnconfirmedCommitError, Hosts } from '../../src/database/hosts.ts'
import { parseDatabaseUrl } from '../../src/settings/database-url.ts'
import { isOutcomeUnknown } from '../../src/runtime/database-failures.ts'
import { createWallet } from '../sign-in/wallet.ts'
import { startApp, studioApiKey } from '../support/start-app.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from './primary-and-standby.ts'

/** More than a server has connections. */
const CALLS = CONNECTIONS * 3
const patience = { interval: 50, timeout: 10_000 }

let nodes: PrimaryAndStandby

beforeAll(async () => {
  nodes = await startPrimaryAndStandby()
})

afterAll(() => nodes.stop())

afterEach(confirmCommits)

/** From now on commits wait for a stand-by that there is not, as on a new primary that no other member follows yet. */
async function leaveCommitsUnconfirmed(): Promise<void> {
  await nodes.primary.run(`alter system set synchronous_standby_names = 'missing'`)
  await nodes.primary.run('select pg_reload_conf()')
}

async function confirmCommits(): Promise<void> {
  await nodes.primary.run('alter system reset synchronous_standby_names')
  await nodes.primary.run('select pg_reload_conf()')
}

async function countWaiting(): Promise<number> {
  const rows = await nodes.primary.run<{ count: number }>(
    `select count(*)::integer from pg_stat_activity where wait_event = 'SyncRep' and application_name <> 'juicebar-watch'`,
  )
  return rows[0]?.count ?? 0
}

/** A server that is ready, and what its callers see. */
async function startServer() {
  const { get, origin } = await startApp(nodes.primary.url)
  const readiness = async () => (await get('/health/ready')).status
  await expect.poll(readiness, patience).toBe(200)
  return {
    readiness,
    health: async () => (await get('/health')).status,
    browse: async () => (await get('/api/marketplace/listings')).status,
    credit: async (walletAddress: string, idempotencyKey: string) => {
      const reply = await fetch(`${origin}/api/studio/credits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${studioApiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ walletAddress, tokenType: 'GRAPE_SODA', amount: 1, idempotencyKey }),
      })
      await reply.text()
      return reply.status
    },
  }
}

async function tokensOf(walletAddress: string): Promise<number> {
  const rows = await nodes.primary.run<{ amount: number }>(
    'select coalesce(sum(amount), 0)::integer as amount from balances where wallet_address = $1',
    [walletAddress],
  )
  return rows[0]?.amount ?? 0
}

it('a server says that it is not ready while commits wait for a stand-by, refuses at once what would wait with them, and shows the market', async () => {
  const server = await startServer()
  await leaveCommitsUnconfirmed()
  await expect.poll(server.readiness, patience).toBe(503)
  expect(await server.health()).toBe(503)
  const waiting = await countWaiting()
  // No connection is left behind by any of them, nor by the watch.
  const refused = Array.from({ length: CALLS }, () => server.credit(createWallet().address, randomUUID()))
  expect(await Promise.all(refused)).toEqual(refused.map(() => 503))
  expect(await countWaiting()).toBe(waiting)
  expect(await server.browse()).toBe(200)

  await confirmCommits()
  await expect.poll(server.readiness, patience).toBe(200)
  expect(await server.credit(createWallet().address, randomUUID())).toBe(200)
})

it('calls that wait for a connection meanwhile are refused, and those that wait for their commit are answered', async () => {
  const server = await startServer()
  const credits = Array.from({ length: CALLS }, () => ({ wallet: createWallet().address, key: randomUUID() }))
  await leaveCommitsUnconfirmed()
  const replies: number[] = []
  const asked = credits.map(async ({ wallet, key }) => {
    const status = await server.credit(wallet, key)
    replies.push(status)
    return status
  })
  await expect.poll(() => replies.length, patience).toBeGreaterThanOrEqual(CALLS - CONNECTIONS)
  await confirmCommits()
  const statuses = await Promise.all(asked)

  await expect.poll(server.readiness, patience).toBe(200)
  for (const [index, { wallet, key }] of credits.entries()) {
    expect(await tokensOf(wallet)).toBe(statuses[index] === 200 ? 1 : 0)
    expect(await server.credit(wallet, key)).toBe(200)
    expect(await tokensOf(wallet)).toBe(1)
  }
})

it('a pool whose gate closes refuses whoever waits for a connection, loses none by that, and lends them again once it is open', async () => {
  const gate = new CommitGate()
  const pool = new DatabasePool({
    hosts: new Hosts(parseDatabaseUrl(nodes.primary.url)),
    gate,
    max: 1,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
    onIdleError: () => undefined,
  })
  onTestFinished(() => pool.end())
  const lent = await pool.connect()
  const waiting = pool.connect()
  const failure = new CommitsWaitError('commits wait')
  gate.close(failure)
  await expect(waiting).rejects.toBe(failure)
  await expect(pool.connect()).rejects.toBe(failure)

  gate.open()
  lent.release()
  expect((await pool.query('select pg_backend_pid()')).rowCount).toBe(1)
  expect(pool.pg.totalCount).toBe(1)
})

it('a commit for which the database stopped waiting counts as unknown', async () => {
  const pool = new DatabasePool({
    hosts: new Hosts(parseDatabaseUrl(nodes.primary.url)),
    max: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    onIdleError: () => undefined,
  })
  onTestFinished(() => pool.end())
  const connection = await pool.connect()
  onTestFinished(() => connection.release())
  const commit = `do $$ begin set local statement_timeout = '300ms'; perform pg_logical_emit_message(true, 'test', ''); commit; end $$`
  await connection.query(`set statement_timeout = '300ms'`)
  await connection.query(commit)
  await leaveCommitsUnconfirmed()
  // The primary reads its new settings in its own time.
  const tryToCommit = () => connection.query(commit).catch((error: unknown) => error)
  await expect.poll(tryToCommit, patience).toBeInstanceOf(UnconfirmedCommitError)
  expect(isOutcomeUnknown(await tryToCommit())).toBe(true)
  await confirmCommits()
  await connection.query(commit)
})
