import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The mismatch between this server's migrations and the database's, for the operator. */
export class SchemaMismatchError extends Error {
  constructor(difference: string) {
    super(
      `This database was created by another version of this server: ${difference}. Start that version again, or, if the data is not ` +
        'needed, delete the data folder (with DATABASE_URL: the database) and start with an empty one.',
    )
    this.name = 'SchemaMismatchError'
  }
}

/** What the database knows about an applied migration. */
export interface AppliedMigration {
  name: string
  /** SHA-256 of the file, in hex. */
  checksum: string
  /** Servers that do not know it may run on the database. */
  compatible: boolean
}

export interface Migration extends AppliedMigration {
  sql: string
}

/** A line of a migration that older servers may run on. `migration-files.test.ts` knows what no such migration may touch. */
const COMPATIBLE = /^-- compatible: older servers may run on it\b/m

/** The number of the newest migration of a folder. */
export async function newestMigration(folder: string): Promise<string> {
  return (await namesOf(folder)).at(-1)?.slice(0, 4) ?? ''
}

/** The numbered `.sql` files of a folder, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await namesOf(folder)
  return Promise.all(
    names.map(async (name) => {
      // Git may check files out with other line ends.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex'), compatible: COMPATIBLE.test(sql) }
    }),
  )
}

async function namesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
}

/**
 * The server's own migrations that a database has not seen.
 * @throws SchemaMismatchError if the server cannot run on the database
 */
export function pendingMigrations(own: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const known = new Map(own.map(({ name, checksum }) => [name, checksum]))
  const changed = applied.find(({ name, checksum }) => known.has(name) && known.get(name) !== checksum)
  if (changed) throw new SchemaMismatchError(`its migration ${changed.name} differs from this version's`)
  const seen = new Set(applied.map(({ name }) => name))
  const pending = own.filter(({ name }) => !seen.has(name))
  // Migrations of two versions, neither of which is the newer one, were never meant to be on one database.
  const foreign = applied.find(({ name, compatible }) => !known.has(name) && (!compatible || pending.length > 0))
  if (foreign) throw new SchemaMismatchError(`it has migration ${foreign.name}, which this version lacks`)
  return pending
}
