import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** All functions and triggers of a version, which are applied as a whole. */
export interface Functions {
  /** The text of each file, in the order of their names. */
  files: readonly string[]
  /** SHA-256 of all of it, in hex. */
  checksum: string
}

/** What a database has had as its functions. */
export interface FunctionSet {
  checksum: string
  /** The newest migration of the server that applied them. */
  migration: string
}

/**
 * Reads the functions that belong to a folder of migrations: the `.sql` files of the folder `functions` beside it.
 *
 * @throws Error if there are none: all functions of the database would be dropped
 */
export async function readFunctions(migrationsFolder: string): Promise<Functions> {
  const folder = join(migrationsFolder, '..', 'functions')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  if (names.length === 0) throw new Error(`${folder} holds no functions`)
  // Git may check files out with other line ends.
  const files = await Promise.all(names.map(async (name) => (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')))
  const hash = createHash('sha256')
  for (const [index, text] of files.entries()) hash.update(`${names[index]}\n${text}\n`)
  return { files, checksum: hash.digest('hex') }
}

interface OwnVersion {
  checksum: string
  /** The names of its migrations, in order. */
  migrations: readonly string[]
}

interface FoundDatabase {
  /** What it has had, the oldest first. */
  sets: readonly FunctionSet[]
  /** The names of the migrations that were applied. */
  migrations: readonly string[]
}

/**
 * What a server does about its functions. current: the database has them. older: newer servers have replaced them, or may have, so it leaves
 * those of the database alone.
 */
export function decideFunctions(own: OwnVersion, database: FoundDatabase): 'current' | 'older' | 'apply' {
  const current = database.sets.at(-1)
  if (current?.checksum === own.checksum) return 'current'
  if (database.migrations.some((name) => !own.migrations.includes(name))) return 'older'
  const wasReplaced = database.sets.some(({ checksum }) => checksum === own.checksum)
  // To go back to an earlier text on purpose takes a migration. Otherwise whoever has that text is older.
  return wasReplaced && current && newest(own) <= current.migration ? 'older' : 'apply'
}

/** The name of a version's newest migration. */
export function newest({ migrations }: Pick<OwnVersion, 'migrations'>): string {
  return migrations.at(-1) ?? ''
}
