import { inTurn, type MigrateOptions, type MigrationClient, runUnlimited } from '../migration-turns.ts'
import { decideFunctions, type Functions, type FunctionSet, newest } from './function-files.ts'

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
