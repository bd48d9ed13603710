import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished } from 'vitest'

/** The migrations of this version; its functions lie beside them. */
export const migrationsFolder = new URL('../../migrations', import.meta.url).pathname
export const functionsFolder = join(migrationsFolder, '..', 'functions')

/** What a database of an earlier release has applied to it, in order. */
export const stepsSinceRelease = [
  ...readdirSync(migrationsFolder)
    .filter((name) => name >= '0032')
    .toSorted(),
  'functions',
]

/** The migrations of another version: those of this one, and these files. Its functions are those of this one, and `functions`. */
export async function newerMigrations(files: Record<string, string>, functions: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'version-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const parts = [
    { name: 'migrations', from: migrationsFolder, added: files },
    { name: 'functions', from: functionsFolder, added: functions },
  ]
  for (const { name, from, added } of parts) {
    await cp(from, join(folder, name), { recursive: true })
    for (const [file, sql] of Object.entries(added)) await writeFile(join(folder, name, file), sql)
  }
  return join(folder, 'migrations')
}

export const COMPATIBLE = '-- compatible: older servers may run on it\n'

interface Pool {
  query(text: string, values?: unknown[]): Promise<unknown>
}

/** The migrations of 0.1.0, as they were released, and the SHA-256 of all of them in order. */
const RELEASED = { number: 5, sha256: '5f355cc2363166e4f98ac816aa7089fb49ed5f784ef34e76364ef728040483b9' }

/** Makes an empty database one of 0.1.0, as that version did. */
export async function applyMigrationsOf010(pool: Pool): Promise<void> {
  await pool.query('create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())')
  const names = (await readdir(migrationsFolder)).toSorted().filter((name) => Number(name.slice(0, 4)) <= RELEASED.number)
  const all = createHash('sha256')
  for (const name of names) {
    const sql = await readFile(join(migrationsFolder, name), 'utf8')
    all.update(sql)
    await pool.query(sql)
    await pool.query('insert into migrations (name, checksum) values ($1, $2)', [name, createHash('sha256').update(sql).digest('hex')])
  }
  expect(all.digest('hex'), 'released migrations never change').toBe(RELEASED.sha256)
}
