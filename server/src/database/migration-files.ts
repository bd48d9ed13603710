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
  /** The migrations that it stands for: a database that has all of them has this one. */
  replaces: readonly ReplacedMigration[]
}

interface ReplacedMigration extends Pick<AppliedMigration, 'name' | 'checksum'> {
  /** The time at which it was applied stays known, as the time of its replacement. */
  keepsTime: boolean
}

/** A line of a migration that older servers may run on. `migration-files.test.ts` knows what no such migration may touch. */
const COMPATIBLE = /^-- compatible: older servers may run on it\b/m

/** A line of a migration that replaces others, with the SHA-256 of what it replaces. */
const REPLACES = /^-- replaces (\S+) ([0-9a-f]{64})(, and keeps its time)?$/gm

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
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { name, sql, checksum, compatible: COMPATIBLE.test(sql), replaces: readReplaced(sql) }
    }),
  )
}

function readReplaced(sql: string): ReplacedMigration[] {
  return [...sql.matchAll(REPLACES)].map(([, name = '', checksum = '', time]) => ({ name, checksum, keepsTime: time !== undefined }))
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
  const replaced = pending
    .filter((migration) => isReplacement(migration, applied))
    .flatMap(({ replaces }) => replaces.map(({ name }) => name))
  // Migrations of two versions, neither of which is the newer one, were never meant to be on one database.
  const unknown = applied.filter(({ name }) => !known.has(name) && !replaced.includes(name))
  const foreign = unknown.find(({ compatible }) => !compatible || pending.length > 0)
  if (foreign) throw new SchemaMismatchError(`it has migration ${foreign.name}, which this version lacks`)
  return pending
}

/**
 * Whether a migration takes the place of those that it replaces, because the database has applied all of them.
 * @throws SchemaMismatchError if the database has applied some of them, or others by these names
 */
export function isReplacement({ name, replaces }: Migration, applied: readonly AppliedMigration[]): boolean {
  const checksums = new Map(applied.map((one) => [one.name, one.checksum]))
  if (!replaces.some((one) => checksums.has(one.name))) return false
  const same = replaces.filter((one) => checksums.get(one.name) === one.checksum)
  if (same.length === replaces.length) return true
  const release = /release-(.+)\.sql$/.exec(name)?.[1]
  throw new SchemaMismatchError(
    `it has ${same.length} of the ${replaces.length} migrations of ${release}. Databases between releases are not supported: ${release} must ` +
      'run on it first',
  )
}
