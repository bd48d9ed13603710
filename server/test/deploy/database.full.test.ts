import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { newestPostgres } from '../../chaos/patroni/packages.ts'
import { migrate } from '../../src/database/migrate.ts'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { SUPERUSER, chooseLocation, clusterFolder } from '../../src/embedded/postgres-cluster.ts'
import { startServer } from '../../src/embedded/postgres-server.ts'
import { readConfig } from '../../src/config.ts'
import { root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { openTradingWorld, type TradingWorld } from '../purchases/trading-world.ts'
import { migrationsFolder } from '../support/migrations-folder.ts'
import { query } from '../support/query.ts'

const SECRETS = ['JWT_SECRET', 'STUDIO_API_KEY', 'REFERENCE_SECRET']
const secrets = Object.fromEntries(SECRETS.map((name) => [name, name.repeat(4)]))
const programs = newestPostgres()

/** Debian's PostgreSQL, which has the programs for backups that the embedded one lacks. */
interface DebianPostgres {
  /** What its programs need in order to connect. */
  environment: { PATH: string; PGHOST: string; PGPORT: string; PGUSER: string }
  url(database: string, user?: string): string
  query(database: string, sql: string): Promise<pg.QueryResultRow[]>
  stop(): Promise<void>
}

/** @param bin the folder of `initdb`, `postgres`, `pg_dump` and so on */
async function startDebianPostgres(bin: string): Promise<DebianPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-debian-'))
  const location = await chooseLocation(folder)
  const cluster = clusterFolder(location)
  const account = location.account && { uid: location.account.uid, gid: location.account.gid }
  if (account) execFileSync('chown', [`${account.uid}:${account.gid}`, location.folder])
  const initdb = ['-D', cluster, `--username=${SUPERUSER}`, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
  execFileSync(join(bin, 'initdb'), initdb, { cwd: '/', stdio: 'pipe', ...account })
  const port = await findFreePort()
  const url = (database: string, user = SUPERUSER) => `postgresql://${user}@127.0.0.1:${port}/${database}`
  const server = await startServer({ location, cluster, binary: join(bin, 'postgres'), port, adminUrl: url('postgres') })
  return {
    environment: { PATH: `${bin}:${process.env['PATH']}`, PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: SUPERUSER },
    url,
    query: (database, sql) => query(url(database), sql),
    stop: async () => {
      await server.stop()
      await rm(location.folder, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a program to its end. */
async function run(program: string, typed: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, typed, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

let postgres: DebianPostgres

beforeEach(({ skip }) => skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed"))

describe('deploy/prepare.sh', () => {
  const ADMIN = 'admin'

  beforeAll(async () => {
    if (programs === undefined) return
    postgres = await startDebianPostgres(programs)
    // Its superuser has the name of the role that is to be created.
    await postgres.query('postgres', `create role ${ADMIN} superuser login`)
    await query(postgres.url('postgres', ADMIN), `alter role ${SUPERUSER} rename to former`)
  })

  afterAll(() => postgres?.stop())

  const prepare = (settings: string, psql = 'psql') =>
    run(join(root, 'deploy', 'prepare.sh'), [], {
      ...postgres.environment,
      PGUSER: ADMIN,
      PGDATABASE: 'postgres',
      SETTINGS: settings,
      PSQL: psql,
    })

  it('creates a database, and settings with its password and three secrets, once', async () => {
    const file = join(await tempFolder(), 'etc', 'juicebar', 'juicebar.env')
    expect(await prepare(file)).toMatchObject({ code: 0, complaint: '' })
    const written = await readFile(file, 'utf8')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o755)

    const settings = parseEnv(written)
    const config = readConfig(settings)
    expect(config).toMatchObject({ publicOrigin: 'https://market.example', trustProxy: ['loopback'], network: 'devnet', demo: false })
    expect(new Set(SECRETS.map((name) => settings[name])).size).toBe(3)
    const { username, password, pathname } = new URL(config.databaseUrl ?? '')
    const owned = 'select datdba = current_user::regrole as owned from pg_database where datname = current_database()'
    expect(await query(postgres.url(pathname.slice(1), username), owned)).toEqual([{ owned: true }])
    const [kept] = await query(postgres.url('postgres', ADMIN), `select rolpassword from pg_authid where rolname = 'juicebar'`)
    expect(kept).toEqual({ rolpassword: expect.stringMatching(/^SCRAM-/) })
    expect(password).toMatch(/^[0-9a-f]{48}$/)

    expect(await prepare(file, 'false')).toEqual({ code: 0, complaint: '', output: `${file} exists: nothing is changed.\n` })
    expect(await readFile(file, 'utf8')).toBe(written)
  })

  it('leaves no settings without a database, and no secret on a command line', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'juicebar.env')
    expect(await prepare(file, 'false')).toMatchObject({ code: 1 })
    expect(await readdir(folder)).toEqual([])
    const { output } = await prepare(file, 'echo')
    expect(output).toContain('--set=ON_ERROR_STOP=on')
    const settings = parseEnv(await readFile(file, 'utf8'))
    for (const name of SECRETS) expect(output).not.toContain(settings[name])
  })
})

describe('a backup', { timeout: 180_000 }, () => {
  const MARKET = 'juicebar'
  /** As the archive has it, from the sources. */
  const audit = [process.execPath, '--import', 'tsx', join(root, 'server', 'src', 'audit-command.ts'), '--copy']
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
    for (const sale of ['settled', 'settled', 'held']) {
      const purchase = await world.hold(buyer, await world.list(seller))
      if (sale === 'held') continue
      await world.payByWallet(buyer, purchase)
      await world.untilStatus(purchase, 'settled')
    }
    await world.list(seller)
  })

  afterAll(() => world?.close())

  const settings = () => ({ DATABASE_URL: postgres.url(MARKET), SOLANA_RPC_URL: world.rpcUrl, ...secrets })

  /** Runs a script of `deploy/backup` as the services do. */
  const runScript = (script: string, folder: string, typed: readonly string[] = [], database = MARKET) =>
    run(join(root, 'deploy', 'backup', script), typed, {
      ...postgres.environment,
      ...settings(),
      PGDATABASE: database,
      LOG_LEVEL: 'warn',
      BACKUP_DIR: folder,
      AUDIT: audit.join(' '),
    })

  const copies = () => postgres.query('postgres', `select datname from pg_database where datname like 'juicebar_rehearsal%'`)

  it('is proved by a rehearsal: restored into a copy, audited on chain, and dropped', async () => {
    const folder = await tempFolder()
    const backup = await runScript('backup.sh', folder)
    expect(backup).toMatchObject({ code: 0, complaint: '' })
    expect(await readdir(folder)).toEqual([backup.output.trim().slice(folder.length + 1)])

    const rehearsal = await runScript('rehearse.sh', folder)
    expect(rehearsal).toMatchObject({ code: 0, complaint: '' })
    expect(rehearsal.output).toContain('Everything adds up.')
    expect(rehearsal.output).toContain('Purchases: 2 settled, 1 held')
    expect(rehearsal.output).toContain('Payments verified on chain: 2')
    expect(await copies()).toEqual([])
  })

  it('in which a drink is missing fails its rehearsal', async () => {
    const [folder, damaged] = [await tempFolder(), await tempFolder()]
    const dump = (await runScript('backup.sh', folder)).output.trim()
    expect(await runScript('restore.sh', folder, [dump, 'damaged'])).toMatchObject({ code: 0, complaint: '' })
    await postgres.query('damaged', 'update balances set amount = amount - 1 where amount > 0')
    await runScript('backup.sh', damaged, [], 'damaged')
    expect(await runScript('rehearse.sh', damaged)).toMatchObject({ code: 1, output: expect.stringContaining('WRONG') })
    expect(await copies()).toEqual([])
  })

  it('is restored into a new database only, completely or not at all', async () => {
    const folder = await tempFolder()
    const dump = (await runScript('backup.sh', folder)).output.trim()
    const exists = { code: 1, complaint: expect.stringContaining('already exists') }
    expect(await runScript('restore.sh', folder, [dump, MARKET])).toMatchObject(exists)
    expect(await postgres.query(MARKET, 'select count(*)::int as purchases from purchases')).toEqual([{ purchases: 3 }])
    expect(await runScript('restore.sh', folder, [join(root, 'LICENSE'), 'nothing'])).toMatchObject({ code: 1 })
    expect(await postgres.query('postgres', `select datname from pg_database where datname = 'nothing'`)).toEqual([])
    expect(await runScript('restore.sh', folder, [dump])).toMatchObject({ code: 2 })
  })

  it('is not audited where servers are at work', async () => {
    const server = new pg.Client({ connectionString: postgres.url(MARKET), application_name: 'juicebar 0001' })
    await server.connect()
    onTestFinished(() => server.end())
    const [program = '', ...typed] = audit
    expect(await run(program, typed, { PATH: postgres.environment.PATH, ...settings() })).toMatchObject({
      complaint: 'Servers work on this database, so it is no copy. Audit it with "npm run audit".\n',
      code: 2,
    })
  })
})
