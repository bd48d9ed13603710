import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { newestPostgres } from '../../chaos/patroni/packages.ts'
import { readConfig } from '../../src/settings/config.ts'
import { root } from '../docs/repository.ts'
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts'

const SECRETS = ['JWT_SECRET', 'STUDIO_API_KEY', 'REFERENCE_SECRET']
const programs = newestPostgres()

const ADMIN = 'admin'

let postgres: DebianPostgres

beforeAll(async () => {
  if (programs === undefined) return
  postgres = await startDebianPostgres(programs)
  // Its superuser has the name of the role that is to be created.
  await postgres.query('postgres', `create role ${ADMIN} superuser login`)
  await ask('postgres', ADMIN, `alter role ${postgres.environment.PGUSER} rename to former`)
})

afterAll(() => postgres?.stop())

async function ask(database: string, user: string, sql: string): Promise<unknown[]> {
  const url = new URL(postgres.url(database))
  url.username = user
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function temporaryFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'juicebar-prepare-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return made
}

function prepare(settings: string, psql = 'psql') {
  const env = { ...postgres.environment, PGUSER: ADMIN, PGDATABASE: 'postgres', SETTINGS: settings, PSQL: psql }
  const { stdout, stderr, status } = spawnSync(join(root, 'deploy', 'prepare.sh'), [], { env, encoding: 'utf8' })
  return { output: stdout, complaint: stderr, code: status }
}

describe('deploy/prepare.sh', () => {
  it('creates a database, and settings with its password and three secrets, once', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const folder = await temporaryFolder()
    const file = join(folder, 'etc', 'juicebar', 'juicebar.env')
    expect(prepare(file)).toMatchObject({ code: 0, complaint: '' })
    const text = await readFile(file, 'utf8')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o755)

    const settings = parseEnv(text)
    const config = readConfig(settings)
    expect(config).toMatchObject({ publicOrigin: 'https://market.example', trustProxy: ['loopback'], network: 'devnet', demo: false })
    expect(new Set(SECRETS.map((name) => settings[name])).size).toBe(3)
    const { username, password, pathname } = new URL(config.databaseUrl ?? '')
    const owned = 'select datdba = current_user::regrole as owned from pg_database where datname = current_database()'
    expect(await ask(pathname.slice(1), username, owned)).toEqual([{ owned: true }])
    const [kept] = await ask('postgres', ADMIN, `select rolpassword from pg_authid where rolname = 'juicebar'`)
    expect(kept).toEqual({ rolpassword: expect.stringMatching(/^SCRAM-/) })
    expect(password).toMatch(/^[0-9a-f]{48}$/)

    expect(prepare(file, 'false')).toEqual({ code: 0, complaint: '', output: `${file} exists: nothing is changed.\n` })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('leaves no settings without a database, and no secret on a command line', async ({ skip }) => {
    skip(programs === undefined, "Debian's package postgresql-15 or newer is not installed")
    const folder = await temporaryFolder()
    const file = join(folder, 'juicebar.env')
    expect(prepare(file, 'false')).toMatchObject({ code: 1 })
    expect(await readdir(folder)).toEqual([])
    const { output } = prepare(file, 'echo')
    expect(output).toContain('--set=ON_ERROR_STOP=on')
    const settings = parseEnv(await readFile(file, 'utf8'))
    for (const name of SECRETS) expect(output).not.toContain(settings[name])
  })
})
