import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTurn, type MigrateOptions, type MigrationClient, runUnlimited } from './migration-turns.ts'

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
function newest({ migrations }: Pick<OwnVersion, 'migrations'>): string {
  return migrations.at(-1) ?? ''
}

const STEP = { name: 'functions', number: 1, of: 1 }

/**
 * Writes all functions and triggers into the database, unless it has them, or those of newer servers. All migrations that this server
 * knows must have been applied.
 *
 * @param migrations the names of the server's migrations, in order
 * @returns whether it has written them
 */
export async function applyFunctions(
  client: MigrationClient,
  { files, checksum }: Functions,
  migrations: readonly string[],
  options: MigrateOptions,
): Promise<boolean> {
  const own = { checksum, migrations }
  const decide = async () => decideFunctions(own, await readState(client))
  const decision = await decide()
  if (decision === 'older') options.report?.({ ...STEP, state: 'left to newer servers' })
  if (decision !== 'apply') return false
  return inTurn(
    client,
    STEP,
    async (start) => {
      if ((await decide()) !== 'apply') return false
      await start()
      // A function may call others that come after it.
      await client.query('set local check_function_bodies = off')
      for (const text of files) await runUnlimited(client, text)
      await client.query(DROP_OTHERS)
      await client.query('insert into function_sets (checksum, migration) values ($1, $2)', [checksum, newest(own)])
      return true
    },
    options,
  )
}

async function readState(client: MigrationClient) {
  const sets = await client.query<FunctionSet>('select checksum, migration from function_sets order by id')
  const applied = await client.query<{ name: string }>('select name from migrations')
  return { sets: sets.rows, migrations: applied.rows.map(({ name }) => name) }
}

/**
 * Drops the triggers and functions that this transaction has not written: they have left the files, or have other arguments now. Functions
 * stay that a table, an index or a view needs, or that belong to an extension. Whoever has functions and triggers of their own beside the
 * market's keeps them in another schema.
 */
const DROP_OTHERS = `
  do $$
  declare
    other record;
  begin
    for other in
      select t.tgname as name, t.tgrelid::regclass as relation
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      where c.relnamespace = 'public'::regnamespace and p.pronamespace = 'public'::regnamespace and not t.tgisinternal
        and t.xmin <> pg_current_xact_id()::xid
    loop
      execute format('drop trigger %I on %s', other.name, other.relation);
    end loop;
    for other in
      select p.oid::regprocedure as signature from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.xmin <> pg_current_xact_id()::xid
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        and not exists (select from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid)
        and p.proowner = (select relowner from pg_class where oid = 'migrations'::regclass)
    loop
      execute format('drop routine %s', other.signature);
    end loop;
  end
  $$`
