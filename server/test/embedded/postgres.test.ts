import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { query } from '../support/query.ts'
import { killNow, startHolder } from './start-holder.ts'
import { tempFolder } from './temp-folder.ts'

const log = pino({ level: 'silent' })
/** A data folder whose database was created, and stopped. Creating one syncs it to disk, which takes a while. */
let created: string
let createdUrl: string

beforeAll(async () => {
  created = await mkdtemp(join(tmpdir(), 'juicebar-created-'))
  const postgres = await startEmbeddedPostgres({ dataDir: created, log })
  createdUrl = postgres.url
  await postgres.stop()
})

afterAll(() => rm(created, { recursive: true }))

/** A copy of that folder, whose database has the same address. */
async function createdFolder(): Promise<string> {
  const folder = await tempFolder()
  execFileSync('cp', ['-a', `${created}/.`, folder])
  return folder
}

async function start(dataDir: string) {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  onTestFinished(() => postgres.stop())
  return postgres
}

async function serverPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

const isRunning = (dataDir: string) => existsSync(join(dataDir, 'cluster', 'postmaster.pid'))

describe('the embedded PostgreSQL', () => {
  it('listens on this machine only, below the ports of outgoing connections, and requires its password', async () => {
    const { url } = await start(await createdFolder())
    const [settings] = await query(
      url,
      `select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync,
              current_setting('unix_socket_directories') as sockets, current_setting('password_encryption') as passwords,
              (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as methods`,
    )
    expect(settings).toEqual({ addresses: '127.0.0.1', fsync: 'on', sockets: '', passwords: 'scram-sha-256', methods: 'scram-sha-256' })
    expect(Number(new URL(url).port)).toBeLessThan(32_768)

    const guess = new URL(url)
    guess.password = 'guess'
    await expect(query(guess.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  })

  it('keeps data, password and port across a stop, and leaves nothing running', async () => {
    const folder = await createdFolder()
    const first = await start(folder)
    expect(first.url).toBe(createdUrl)
    await query(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    expect(isRunning(folder)).toBe(false)

    const second = await start(folder)
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  it('reports a lost password at once', async () => {
    const folder = await createdFolder()
    await writeFile(join(folder, 'POSTGRES_PASSWORD'), `${'0'.repeat(64)}\n`)
    await expect(start(folder)).rejects.toThrow('does not contain the password of the database')
    expect(isRunning(folder)).toBe(false)
  })

  it('stops when its parent is killed, and keeps everything that was committed', async () => {
    const folder = await createdFolder()
    const { child, url } = await startHolder(folder, 'postgres')
    await query(url, 'create table kept as select 42 as answer')
    await killNow(child)
    await expect.poll(() => isRunning(folder)).toBe(false)

    const { child: second } = await startHolder(folder, 'postgres')
    await killNow(second)
    const postgres = await start(folder)
    expect(await query(postgres.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  it('is restarted at the same address when it is killed', async () => {
    const folder = await createdFolder()
    const { url } = await start(folder)
    await query(url, 'create table kept as select 42 as answer')
    const killed = await serverPid(folder)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => query(url, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(await serverPid(folder)).not.toBe(killed)
  })

  it('starts even if an earlier start was interrupted while it created the database', async () => {
    const folder = await createdFolder()
    await rename(join(folder, 'cluster'), join(folder, 'cluster.draft'))
    await rm(join(folder, 'cluster.draft', 'PG_VERSION'))
    await mkdir(join(folder, 'postgres-0.0.0.draft'))

    const second = await start(folder)
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('uses another port if its own is taken', async () => {
    const squatter = createServer().listen(Number(new URL(createdUrl).port), '127.0.0.1')
    onTestFinished(() => void squatter.close())
    const second = await start(await createdFolder())
    expect(new URL(second.url).port).not.toBe(new URL(createdUrl).port)
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
