import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { catalogueFile, item } from './catalogue/catalogue-folder.ts'
import { newestMigration } from '../src/database/migration-files.ts'
import { findFreePort } from '../src/embedded/free-port.ts'
import { result, startFrontServer } from './chain/front-server.ts'
import { builtProgram } from './support/built-server.ts'
import { freshDatabase } from './support/fresh-database.ts'
import { migrationsFolder } from './support/migrations-folder.ts'

const secrets = { JWT_SECRET: 'never-show-this-jwt-secret-anywhere', STUDIO_API_KEY: 'never-show-this-studio-key' }

const waiting = { timeout: 60_000 }

let program: string
let fresh: Awaited<ReturnType<typeof freshDatabase>>

beforeAll(async () => {
  ;[program, fresh] = await Promise.all([builtProgram('main'), freshDatabase()])
})

afterAll(() => fresh.drop())

/** The server as a process of its own, with nothing embedded. */
function run(settings: Record<string, string>) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: fresh.url,
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    ...secrets,
    DRAIN_SECONDS: '0',
    ...settings,
  }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let standardOutput = ''
  let standardError = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  child.stdout.on('data', (chunk) => (standardOutput += String(chunk)))
  child.stderr.on('data', (chunk) => (standardError += String(chunk)))
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = () => standardOutput.split('\n').filter(Boolean)
  return { child, text: () => output, lines, errors: () => standardError, exit: exitOf(child) }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code]: (number | null)[] = await once(child, 'close')
  return code ?? null
}

/** What servers are called by the database, which refuses older ones by their name. */
async function serverNames(): Promise<string[]> {
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name like 'juicebar %'`,
  )
  await client.end()
  return rows.map(({ name }) => name)
}

async function takePort() {
  const port = await findFreePort()
  const holder = createServer().listen(port, '127.0.0.1')
  await once(holder, 'listening')
  return { port: String(port), free: () => new Promise((done) => holder.close(done)) }
}

/** Starting a server takes a while on a busy machine. */
describe('the server process', { timeout: 120_000 }, () => {
  it('does not start with a wrong catalogue, nor with one that lacks what players own', async () => {
    const wrong = await catalogueFile([item('TEA', { color: 'teal' })])
    const server = run({ CATALOGUE: wrong })
    expect(await server.exit).toBe(1)
    expect(server.text()).toContain(`${wrong}, line 6: "[0].color" is "teal". It must be a colour`)

    const own = await freshDatabase()
    onTestFinished(() => own.drop())
    const client = new pg.Client({ connectionString: own.url })
    await client.connect()
    await client.query(`select post_transfer('credit', 'GRAPE_SODA', 5, 'a wallet', null, 'a key')`)
    await client.end()
    const other = run({ DATABASE_URL: own.url, PORT: String(await findFreePort()), CATALOGUE: await catalogueFile([item('TEA')]) })
    expect(await other.exit).toBe(1)
    expect(other.errors().trim()).toBe(
      'GRAPE_SODA (Grape Soda) is not in the catalogue, but players own it: 5 in wallets. Put it back into the file of CATALOGUE, ' +
        'or debit it from everybody who has it before you take it out.',
    )
  })

  it('reports every wrong setting in a sentence and ends', async () => {
    const server = run({ PORT: 'many', HOLD_SECONDS: '0', STUDIO_API_KEY: 'short' })
    expect(await server.exit).toBe(1)
    expect(server.text().trim().split('\n')).toEqual([
      'PORT is "many". It must be a whole number from 1 to 65535.',
      'STUDIO_API_KEY has a wrong value (5 characters, not shown here). It must be at least 16 printable characters without spaces.',
      'HOLD_SECONDS is "0". It must be a whole number from 1 to 600.',
    ])
  })

  it('never takes mainnet for a chain of play money, wherever its endpoint is', async () => {
    const proxy = await startFrontServer(result('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'))
    onTestFinished(() => proxy.stop())
    const unnamed = run({ SOLANA_RPC_URL: proxy.url, DEMO: 'on' })
    expect(await unnamed.exit).toBe(1)
    expect(unnamed.text()).toContain('serves mainnet, but reads as localnet')
    const named = run({ SOLANA_RPC_URL: `${proxy.url}/?cluster=mainnet`, DEMO: 'on' })
    expect(await named.exit).toBe(1)
    expect(named.text()).toContain('DEMO is "on"')
    const port = String(await findFreePort())
    const real = run({ SOLANA_RPC_URL: `${proxy.url}/?cluster=mainnet`, PORT: port })
    await expect.poll(real.text, waiting).toContain('mainnet: real money')
  })

  it('tells in one sentence what to do about a database of another version', async () => {
    const other = await freshDatabase()
    onTestFinished(() => other.drop())
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    await client.query('alter table migrations drop column checksum')
    await client.end()
    const { port, free } = await takePort()
    await free()
    const server = run({ DATABASE_URL: other.url, PORT: port, LOG_LEVEL: 'error' })
    expect(await server.exit).toBe(1)
    expect(server.text().trim()).toBe(
      'This database was created by another version of this server: it is older than 0.1.0. Start that version again, or, if the data is ' +
        'not needed, delete the data folder (with DATABASE_URL: the database) and start with an empty one.',
    )
  })

  it('says which setting helps when its port is taken', async () => {
    const { port, free } = await takePort()
    const server = run({ PORT: port })
    expect(await server.exit).toBe(1)
    expect(server.text()).toContain(`127.0.0.1:${port} is in use by another program. Stop that one, or set PORT to another port.`)
    await free()
  })

  it.each([
    ['password', 'guess', 'password authentication failed'],
    ['pathname', '/nobody-made-it', 'does not exist'],
  ] as const)('says that the database refuses the %s of DATABASE_URL', async (part, wrong, reason) => {
    const url = new URL(fresh.url)
    url[part] = wrong
    const server = run({ DATABASE_URL: url.href, PORT: String(await findFreePort()) })
    expect(await server.exit).toBe(1)
    expect(server.errors()).toContain('The database refuses what DATABASE_URL says: ')
    expect(server.errors()).toContain(reason)
    expect(server.errors()).not.toContain('    at ')
  })

  it.each([
    ['SIGTERM', 'debug'],
    ['SIGINT', 'fatal'],
  ] as const)('says where it is open, logs nothing but JSON, shows no secret, and stops at %s', async (signal, level) => {
    const port = String(await findFreePort())
    const server = run({ PORT: port, LOG_LEVEL: level })
    await expect.poll(server.text, waiting).toContain(`Juicebar Marketplace is open at http://localhost:${port}`)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    expect(await serverNames()).toEqual([`juicebar ${await newestMigration(migrationsFolder)}`])
    server.child.kill(signal)
    expect(await server.exit).toBe(0)
    for (const line of server.lines()) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
    expect(server.text()).not.toContain('never-show-this')
  })

  describe('that is interrupted while it starts', () => {
    const start = async (settings: Record<string, string>) =>
      run({ PORT: String(await findFreePort()), DEMO: 'on', LOG_LEVEL: 'debug', ...settings })

    /** Whatever it has said by now is JSON, and nothing of it is wrong. Before its handler is there, the signal itself ends the process. */
    async function expectQuietEnd(server: ReturnType<typeof run>) {
      expect([await server.exit, server.child.signalCode]).toSatisfy(([code, signal]) => code === 0 || signal === 'SIGINT')
      expect(server.errors()).toBe('')
      const told = server.lines().map((line): { level: number; msg: string } => JSON.parse(line))
      expect(told.filter(({ level }) => level >= 50)).toEqual([])
      return told.map(({ msg }) => msg)
    }

    it.each([1, 2, 3, 5, 8, 13, 21])('after its log line number %i, ends without another word', async (lines) => {
      const database = await freshDatabase('template0')
      onTestFinished(() => database.drop())
      const server = await start({ DATABASE_URL: database.url })
      await expect.poll(() => server.lines().length, { ...waiting, interval: 1 }).toBeGreaterThanOrEqual(lines)
      server.child.kill('SIGINT')
      await expectQuietEnd(server)
    })

    it.each([10, 100, 200])('before it logs anything, %i ms after its process has begun, ends without a word', async (millis) => {
      const server = await start({})
      setTimeout(() => server.child.kill('SIGINT'), millis)
      await expectQuietEnd(server)
    })

    it('while its database is silent, ends at once', async () => {
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const arrived = once(silent, 'connection')
      onTestFinished(() => void silent.close())
      const { port } = silent.address() as AddressInfo
      const server = await start({ DEMO: 'off', DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none` })
      await expect.poll(server.text, waiting).toContain('Server listening')
      const [connection]: Socket[] = await arrived
      connection!.resume()
      server.child.kill('SIGINT')
      // Sooner than the server would give it up by itself.
      await once(connection!, 'close', { signal: AbortSignal.timeout(5_000) })
      await expectQuietEnd(server)
    })

    it.each(['Server listening', 'the database cannot be used'])('before its database ever came, says nothing after %j', async (words) => {
      const server = await start({ DEMO: 'off', DATABASE_URL: `postgresql://nobody@127.0.0.1:${await findFreePort()}/none` })
      await expect.poll(server.text, waiting).toContain(words)
      server.child.kill('SIGINT')
      expect((await expectQuietEnd(server)).join()).not.toContain('is open at')
    })
  })

  it('goes on for the drain after SIGTERM while it says that it is not ready, and not after Ctrl-C or a second signal', async () => {
    const port = String(await findFreePort())
    const settings = { PORT: port, DRAIN_SECONDS: '300', LOG_LEVEL: 'fatal' }
    const opened = `Juicebar Marketplace is open at http://localhost:${port}`
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

    const interrupted = run(settings)
    await expect.poll(interrupted.text, waiting).toContain(opened)
    interrupted.child.kill('SIGINT')
    expect(await interrupted.exit).toBe(0)

    const terminated = run(settings)
    await expect.poll(terminated.text, waiting).toContain(opened)
    await expect.poll(() => ask('/health/ready'), waiting).toBe(200)
    terminated.child.kill('SIGTERM')
    await expect.poll(() => ask('/health/ready')).toBe(503)
    expect(await ask('/api/marketplace/listings')).toBe(200)
    // A signal that follows at once is the echo of the first.
    const signal = () => {
      terminated.child.kill('SIGTERM')
      return terminated.child.exitCode
    }
    await expect.poll(signal, { ...waiting, interval: 200 }).toBe(143)
  })
})
