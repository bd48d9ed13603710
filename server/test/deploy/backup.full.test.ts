import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { newestPostgres } from '../../chaos/patroni/packages.ts'
import { migrate } from '../../src/database/migrate.ts'
import { root } from '../docs/repository.ts'
import { hold, list, openTradingWorld, sendByWallet, signPayment, type TradingWorld, untilStatus } from '../purchases/trading-world.ts'
import { migrationsFolder } from '../support/migrations-folder.ts'
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts'

const MARKET = 'juicebar'
const programs = newestPostgres()
/** As the archive has it, from the sources. */
const AUDIT = `${process.execPath} --import tsx ${join(root, 'server', 'src', 'audit.ts')} --copy`

let postgres: DebianPostgres
let world: TradingWorld

beforeAll(async () => {
  if (programs === undefined) return
  postgres = await startDebianPostgres(programs)
  await postgres.query('postgres', `create database ${MARKET}`)
  const pool = new pg.Pool({ connectionString: postgres.url(MARKET) })
  await migrate(pool, migrationsFolder)
  await pool.end()
  world = await openTradingWorld({ database: { url: postgres.url(MARKET), drop: () => postgres.stop() } })
  const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
  for (const sale of ['settled', 'settled', 'held'] as const) {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    if (sale === 'held') continue
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await untilStatus(world, purchase.purchaseId, 'settled')
  }
  await list(world, seller)
})

afterAll(() => world?.close())

/** Runs a script of `deploy/backup` as the services do. */
async function run(script: string, folder: string, typed: readonly string[] = [], database = MARKET) {
  const secrets = { JWT_SECRET: 'j'.repeat(32), STUDIO_API_KEY: 's'.repeat(32), REFERENCE_SECRET: 'r'.repeat(32) }
  const settings = { SOLANA_RPC_URL: world.rpcUrl, DATABASE_URL: postgres.url(MARKET), ...secrets, PGDATABASE: database, LOG_LEVEL: 'warn' }
  const env = { ...postgres.environment, ...settings, BACKUP_DIR: folder, AUDIT }
  const child = spawn(join(root, 'deploy', 'backup', script), typed, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

async function backupFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-backup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

const copies = () => postgres.query('postgres', `select datname from pg_database where datname like 'juicebar_rehearsal%'`)

describe('a backup', { timeout: 180_000 }, () => {
  it('is proved by a rehearsal: restored into a copy, audited on chain, and dropped', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const folder = await backupFolder()
    const backup = await run('backup.sh', folder)
    expect(backup).toMatchObject({ code: 0, complaint: '' })
    expect(await readdir(folder)).toEqual([backup.output.trim().slice(folder.length + 1)])

    const rehearsal = await run('rehearse.sh', folder)
    expect(rehearsal).toMatchObject({ code: 0, complaint: '' })
    expect(rehearsal.output).toContain('Everything adds up.')
    expect(rehearsal.output).toContain('Purchases: 2 settled, 1 held')
    expect(rehearsal.output).toContain('Payments verified on chain: 2')
    expect(await copies()).toEqual([])
  })

  it('in which a drink is missing fails its rehearsal', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const [folder, damaged] = [await backupFolder(), await backupFolder()]
    const dump = (await run('backup.sh', folder)).output.trim()
    expect(await run('restore.sh', folder, [dump, 'damaged'])).toMatchObject({ code: 0, complaint: '' })
    await postgres.query('damaged', 'update balances set amount = amount - 1 where amount > 0')
    await run('backup.sh', damaged, [], 'damaged')
    expect(await run('rehearse.sh', damaged)).toMatchObject({ code: 1, output: expect.stringContaining('WRONG') })
    expect(await copies()).toEqual([])
  })

  it('is restored into a new database only, completely or not at all', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const folder = await backupFolder()
    const dump = (await run('backup.sh', folder)).output.trim()
    const purchases = 'select count(*)::int as purchases from purchases'
    expect(await run('restore.sh', folder, [dump, MARKET])).toMatchObject({ code: 1, complaint: expect.stringContaining('already exists') })
    expect(await postgres.query(MARKET, purchases)).toEqual([{ purchases: 3 }])
    expect(await run('restore.sh', folder, [join(root, 'LICENSE'), 'nothing'])).toMatchObject({ code: 1 })
    expect(await postgres.query('postgres', `select datname from pg_database where datname = 'nothing'`)).toEqual([])
    expect(await run('restore.sh', folder, [dump])).toMatchObject({ code: 2 })
  })

  it('is not audited where servers are at work', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const server = new pg.Client({ connectionString: postgres.url(MARKET), application_name: 'juicebar 0001' })
    await server.connect()
    onTestFinished(() => server.end())
    const env = { PATH: postgres.environment.PATH, DATABASE_URL: postgres.url(MARKET), SOLANA_RPC_URL: world.rpcUrl }
    const secrets = { JWT_SECRET: 'j'.repeat(32), STUDIO_API_KEY: 's'.repeat(32) }
    const [program = '', ...typed] = AUDIT.split(' ')
    const child = spawn(program, typed, { cwd: root, env: { ...env, ...secrets }, stdio: ['ignore', 'ignore', 'pipe'] })
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ complaint, code: Number(code) }).toEqual({
      complaint: 'Servers work on this database, so it is no copy. Audit it with "npm run audit".\n',
      code: 2,
    })
  })
})
