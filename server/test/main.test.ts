import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { catalogueFile, item } from './brand/market-files.ts'
import { newestMigration } from '../src/database/migration-files.ts'
import { findFreePort } from '../src/embedded/free-port.ts'
import { result, startFrontServer } from './chain/rpc/front-server.ts'
import { root } from './docs/repository.ts'
import { freshDatabase } from './support/fresh-database.ts'
import { migrationsFolder } from './support/migrations-folder.ts'
import { query } from './support/query.ts'

const secrets = {
  JWT_SECRET: 'never-show-this-jwt-secret-anywhere',
  STUDIO_API_KEY: 'never-show-this-studio-key',
  REFERENCE_SECRET: 'never-show-this-reference-secret-anywhere',
}
const waiting = { timeout: 60_000 }

let program: string
let fresh: Awaited<ReturnType<typeof freshDatabase>>

beforeAll(async () => {
  ;[program, fresh] = await Promise.all([build(), freshDatabase()])
})

afterAll(() => fresh.drop())

const SERVER = join(root, 'server')
const SOURCES = ['server/src', 'contract/src', 'server/vite.config.ts', 'server/package.json', 'package-lock.json']
const CACHE = '.cache-'

/**
 * The server as `npm run build` makes it, which starts several times faster than its source. It is kept beside `dist` until the sources
 * change: a build that is replaced meanwhile would break the processes that run from it. @returns its program
 */
async function build(): Promise<string> {
  const folder = `${CACHE}${await hashOfSources()}`
  const path = join(SERVER, folder)
  if (existsSync(path)) return join(path, 'main.js')
  const draft = `${path}-${process.pid}`
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  const options = ['build', '--outDir', draft, '--logLevel', 'error']
  await promisify(execFile)(process.execPath, [vite, ...options], { cwd: SERVER, env: { ...process.env, NODE_ENV: 'production' } })
  // Another worker may have been faster.
  await rename(draft, path).catch(() => rm(draft, { recursive: true }))
  const earlier = (await readdir(SERVER)).filter((name) => name.startsWith(CACHE) && !name.startsWith(folder))
  for (const name of earlier) await rm(join(SERVER, name), { recursive: true, force: true })
  return join(path, 'main.js')
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(root, source)
    const entries = source.endsWith('/src') ? await readdir(path, { recursive: true, withFileTypes: true }) : undefined
    const files = entries?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path]
    for (const file of files.toSorted()) hash.update(`${file}\0`).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** The server as a process of its own, with nothing embedded. */
async function run(settings: Record<string, string> = {}) {
  const port = settings['PORT'] ?? String(await findFreePort())
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: fresh.url,
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    ...secrets,
    DRAIN_SECONDS: '0',
    PORT: port,
    ...settings,
  }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '', both: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      said[name] += String(chunk)
      said.both += String(chunk)
    })
  return {
    child,
    port,
    text: () => said.both,
    errors: () => said.stderr,
    lines: () => said.stdout.split('\n').filter(Boolean),
    exit: once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
    untilOpen: () => expect.poll(() => said.both, waiting).toContain(`Juicebar Marketplace is open at http://localhost:${port}`),
    ask: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
  }
}

/** A database of a test's own, changed by a statement. */
async function ownDatabase({ template, sql }: { template?: string; sql?: string }): Promise<string> {
  const { url, drop } = await freshDatabase(template)
  onTestFinished(drop)
  if (sql !== undefined) await query(url, sql)
  return url
}

/** Starting a server takes a while on a busy machine. */
describe('the server process', { timeout: 120_000 }, () => {
  it('does not start with a wrong catalogue, nor with one that lacks what players own', async () => {
    const wrong = await catalogueFile([item('TEA', { color: 'teal' })])
    const server = await run({ CATALOGUE: wrong })
    expect(await server.exit).toBe(1)
    expect(server.text()).toContain(`${wrong}, line 6: "[0].color" is "teal". It must be a colour`)

    const owned = await ownDatabase({ sql: `select post_transfer('credit', 'GRAPE_SODA', 5, 'a wallet', null, 'a key')` })
    const other = await run({ DATABASE_URL: owned, CATALOGUE: await catalogueFile([item('TEA')]) })
    expect(await other.exit).toBe(1)
    expect(other.errors().trim()).toBe(
      'GRAPE_SODA (Grape Soda) is not in the catalogue, but players own it: 5 in wallets. Put it back into the file of CATALOGUE, ' +
        'or debit it from everybody who has it before you take it out.',
    )
  })

  it('reports every wrong setting in a sentence and ends', async () => {
    const server = await run({ PORT: 'many', HOLD_SECONDS: '0', STUDIO_API_KEY: 'short' })
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
    const unnamed = await run({ SOLANA_RPC_URL: proxy.url, DEMO: 'on' })
    expect(await unnamed.exit).toBe(1)
    expect(unnamed.text()).toContain('serves mainnet, but reads as localnet')
    const mainnet = `${proxy.url}/?cluster=mainnet`
    const named = await run({ SOLANA_RPC_URL: mainnet, DEMO: 'on' })
    expect(await named.exit).toBe(1)
    expect(named.text()).toContain('DEMO is "on"')
    const real = await run({ SOLANA_RPC_URL: mainnet })
    await expect.poll(real.text, waiting).toContain('mainnet: real money')
  })

  it('tells in one sentence what to do about a database of another version', async () => {
    const old = await ownDatabase({ sql: 'alter table migrations drop column checksum' })
    const server = await run({ DATABASE_URL: old, LOG_LEVEL: 'error' })
    expect(await server.exit).toBe(1)
    expect(server.text().trim()).toBe(
      'This database was created by another version of this server: it is older than 0.1.0. Start that version again, or, if the data is ' +
        'not needed, delete the data folder (with DATABASE_URL: the database) and start with an empty one.',
    )
  })

  it('says which setting helps when its port is taken', async () => {
    const holder = createServer().listen(await findFreePort(), '127.0.0.1')
    await once(holder, 'listening')
    onTestFinished(() => void holder.close())
    const { port } = holder.address() as AddressInfo
    const server = await run({ PORT: String(port) })
    expect(await server.exit).toBe(1)
    expect(server.text()).toContain(`127.0.0.1:${port} is in use by another program. Stop that one, or set PORT to another port.`)
  })

  it.each([
    ['password', 'guess', 'password authentication failed'],
    ['pathname', '/nobody-made-it', 'does not exist'],
  ] as const)('says that the database refuses the %s of DATABASE_URL', async (part, wrong, reason) => {
    const url = new URL(fresh.url)
    url[part] = wrong
    const server = await run({ DATABASE_URL: url.href })
    expect(await server.exit).toBe(1)
    expect(server.errors()).toContain('The database refuses what DATABASE_URL says: ')
    expect(server.errors()).toContain(reason)
    expect(server.errors()).not.toContain('    at ')
  })

  it.each([
    ['SIGTERM', { LOG_LEVEL: 'debug' }],
    // Ctrl-C does not wait for the drain.
    ['SIGINT', { LOG_LEVEL: 'fatal', DRAIN_SECONDS: '300' }],
  ] as const)('says where it is open, logs nothing but JSON, shows no secret, and stops at %s', async (signal, settings) => {
    const server = await run(settings)
    await server.untilOpen()
    expect(await server.ask('/health')).toBe(200)
    // The database refuses older servers by their name.
    const names = `select distinct application_name as name from pg_stat_activity
                   where datname = current_database() and application_name like 'juicebar %'`
    expect(await query(fresh.url, names)).toEqual([{ name: `juicebar ${await newestMigration(migrationsFolder)}` }])
    server.child.kill(signal)
    expect(await server.exit).toBe(0)
    for (const line of server.lines()) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
    expect(server.text()).not.toContain('never-show-this')
  })

  describe('that is interrupted while it starts', () => {
    const start = (settings: Record<string, string>) => run({ DEMO: 'on', LOG_LEVEL: 'debug', ...settings })

    /** Whatever it has said by now is JSON, and nothing of it is wrong. Before its handler is there, the signal itself ends the process. */
    async function expectQuietEnd(server: Awaited<ReturnType<typeof run>>) {
      expect([await server.exit, server.child.signalCode]).toSatisfy(([code, signal]) => code === 0 || signal === 'SIGINT')
      expect(server.errors()).toBe('')
      const told = server.lines().map((line): { level: number; msg: string } => JSON.parse(line))
      expect(told.filter(({ level }) => level >= 50)).toEqual([])
      return told.map(({ msg }) => msg)
    }

    it.each([1, 2, 3, 5, 8, 13, 21])('after its log line number %i, ends without another word', async (lines) => {
      const server = await start({ DATABASE_URL: await ownDatabase({ template: 'template0' }) })
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

  it('goes on for the drain after SIGTERM while it says that it is not ready, and not after a second signal', async () => {
    const { child, ask, untilOpen } = await run({ DRAIN_SECONDS: '300', LOG_LEVEL: 'fatal' })
    await untilOpen()
    await expect.poll(() => ask('/health/ready'), waiting).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(() => ask('/health/ready')).toBe(503)
    expect(await ask('/api/marketplace/listings')).toBe(200)
    // A signal that follows at once is the echo of the first.
    const signal = () => {
      child.kill('SIGTERM')
      return child.exitCode
    }
    await expect.poll(signal, { ...waiting, interval: 200 }).toBe(143)
  })
})
