import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'

import { migrate } from '../../../src/database/migrate.ts'
import { type MigrationStep } from '../../../src/database/migration-turns.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { COMPATIBLE, functionsFolder, migrationsFolder, newerMigrations } from '../../support/migrations-folder.ts'

async function openDatabase(template?: string) {
  const fresh = await freshDatabase(template)
  const pool = new pg.Pool({ connectionString: fresh.url })
  // A pool says that it has ended before its connections have: dropping the database may end them first.
  pool.on('error', () => undefined)
  onTestFinished(async () => {
    await pool.end()
    await fresh.drop()
  })
  return pool
}

async function one<Value>(pool: pg.Pool, expression: string): Promise<Value | undefined> {
  return (await pool.query<{ value: Value }>(`select ${expression} as value`)).rows[0]?.value
}

const sets = (pool: pg.Pool) => one<number>(pool, '(select count(*)::int from function_sets)')
const greeting = (pool: pg.Pool) => one<string>(pool, 'greeting()')
const greet = (words: string) => ({
  'greeting.sql': `create or replace function greeting() returns text language sql as $$ select '${words}' $$;`,
})

describe('the functions are applied', () => {
  it('to a new database, after its migrations', async () => {
    const pool = await openDatabase('template0')
    expect((await migrate(pool, migrationsFolder)).at(-1)).toBe('functions')
    expect(await one(pool, `json_time('2026-01-02 03:04:05Z')`)).toBe('2026-01-02T03:04:05.000Z')
  })

  it('once, by one of the servers that start together', async () => {
    const pool = await openDatabase()
    const folder = await newerMigrations({}, greet('Hello'))
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(pool, folder)))
    expect(applied.flat()).toEqual(['functions'])
    expect([await greeting(pool), await sets(pool)]).toEqual(['Hello', 2])
  })

  it('if one has changed, and not otherwise', async () => {
    const pool = await openDatabase()
    const version = `(select xmin::text from pg_proc where proname = 'json_time')`
    const before = await one(pool, version)
    expect(await migrate(pool, migrationsFolder)).toEqual([])
    expect([await one(pool, version), await sets(pool)]).toEqual([before, 1])
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    expect(await migrate(pool, await newerMigrations({}, greet('Good evening')))).toEqual(['functions'])
    expect([await greeting(pool), await sets(pool)]).toEqual(['Good evening', 3])
  })

  it('in turns: one that needs a lock waits for whoever writes, and says so', async () => {
    const pool = await openDatabase()
    const writer = await pool.connect()
    await writer.query('begin; update listings set amount = 1 where false')
    const states: string[] = []
    const applied = migrate(pool, await newerMigrations({}, greet('Hello')), {
      report: ({ name, state }) => states.push(`${name}: ${state}`),
    })
    await expect.poll(() => states, { timeout: 10_000 }).toContain('functions: waiting for locks')
    await writer.query('commit')
    writer.release()
    expect(await applied).toEqual(['functions'])
    expect(states.at(-1)).toBe('functions: applied')
  })
})

describe('a function', () => {
  it('that has left the files is dropped, and so is a trigger', async () => {
    const pool = await openDatabase()
    const mood = `
      create or replace function mood() returns trigger language plpgsql as $$ begin return null; end $$;
      create or replace trigger listings_mood after insert on listings for each row execute function mood();`
    await migrate(pool, await newerMigrations({}, { 'mood.sql': mood }))
    const found = `(select count(*)::int from pg_proc where proname = 'mood') + (select count(*)::int from pg_trigger where tgname = 'listings_mood')`
    expect(await one(pool, found)).toBe(2)
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    expect(await one(pool, found)).toBe(0)
  })

  it('whose arguments have changed has no second overload', async () => {
    const pool = await openDatabase()
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    const changed = 'create or replace function greeting(p_name text) returns text language sql as $$ select p_name $$;'
    await migrate(pool, await newerMigrations({}, { 'greeting.sql': changed }))
    const overloads = `array(select oid::regprocedure::text from pg_proc where proname = 'greeting')`
    expect(await one(pool, overloads)).toEqual(['greeting(text)'])
  })

  it('stays that a table, an index, a view or an extension needs, or that is not of this schema', async () => {
    const pool = await openDatabase()
    await pool.query(`
      create schema mine;
      create function mine.note() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger mine after insert on listings for each row execute function mine.note()`)
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    const kept = await pool.query(`
      select new_id(), trade_time(now()), unit_lamports(3, 2), similarity('juice', 'juices') from pg_trigger where tgname = 'mine'`)
    expect(kept.rowCount).toBe(1)
  })
})

describe('an older server', () => {
  const told = async (pool: pg.Pool, folder: string) => {
    const steps: MigrationStep[] = []
    const applied = await migrate(pool, folder, { report: (step) => steps.push(step) })
    return { applied, steps: steps.map(({ name, state }) => `${name}: ${state}`) }
  }
  const left = { applied: [], steps: ['functions: left to newer servers'] }

  it('puts nothing back beside a newer one that brought a migration', async () => {
    const pool = await openDatabase()
    await migrate(pool, await newerMigrations({ '9999-newer.sql': `${COMPATIBLE}select 1` }, greet('Hello')))
    // It has never run on this database, so that its functions are new to it.
    expect(await told(pool, await newerMigrations({}, greet('Good day')))).toEqual(left)
    expect(await greeting(pool)).toBe('Hello')
  })

  it('puts nothing back beside a newer one that brought other functions only', async () => {
    const pool = await openDatabase()
    const [older, newer] = [await newerMigrations({}, greet('Hello')), await newerMigrations({}, greet('Good evening'))]
    for (const folder of [older, newer]) await migrate(pool, folder)
    expect(await told(pool, older)).toEqual(left)
    expect(await greeting(pool)).toBe('Good evening')
    // A migration says that the earlier text is meant.
    const again = await newerMigrations({ '9999-again.sql': `${COMPATIBLE}select 1` }, greet('Hello'))
    expect(await migrate(pool, again)).toEqual(['9999-again.sql', 'functions'])
    expect(await greeting(pool)).toBe('Hello')
    expect((await told(pool, newer)).steps).toEqual(left.steps)
    expect(await greeting(pool)).toBe('Hello')
  })

  it('puts nothing back if a migration came between, with the same functions', async () => {
    const pool = await openDatabase()
    const files = { '9999-newer.sql': `${COMPATIBLE}select 1` }
    const between = await newerMigrations(files)
    expect(await migrate(pool, between)).toEqual(['9999-newer.sql'])
    await migrate(pool, await newerMigrations(files, greet('Hello')))
    expect(await told(pool, between)).toEqual(left)
    expect(await greeting(pool)).toBe('Hello')
  })
})

describe('what goes wrong leaves the functions of before whole', () => {
  const changes = (end: string) => ({
    ...greet('Half'),
    'later.sql': `create or replace function later() returns void language sql as $$ $$; ${end}`,
  })

  it('if a file fails', async () => {
    const pool = await openDatabase()
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    const failed = migrate(pool, await newerMigrations({}, changes('select 1 / 0')))
    await expect(failed).rejects.toThrow('migration functions failed: division by zero')
    expect([await greeting(pool), await one(pool, `to_regproc('later')`), await sets(pool)]).toEqual(['Hello', null, 2])
  })

  it('if the server is stopped or killed in the middle, and another one then applies them', async () => {
    const pool = await openDatabase()
    await migrate(pool, await newerMigrations({}, greet('Hello')))
    await pool.query('create table gate ()')
    const gated = 'do $$ begin while not exists (select from gate) loop perform pg_sleep(0.01); end loop; end $$;'
    const folder = await newerMigrations({}, changes(gated))
    const stopping = new AbortController()
    const steps: MigrationStep[] = []
    const stopped = migrate(pool, folder, { signal: stopping.signal, report: (step) => steps.push(step) })
    const working = `(select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')`
    await expect.poll(() => one(pool, working)).toBe(1)
    expect(steps).toMatchObject([{ name: 'functions', number: 1, of: 1, state: 'applying', backend: expect.any(Number) }])
    stopping.abort()
    await expect(stopped).rejects.toThrow()
    await pool.query('select pg_terminate_backend($1)', [steps[0]?.backend])
    expect([await greeting(pool), await one(pool, `to_regproc('later')`), await sets(pool)]).toEqual(['Hello', null, 2])

    await pool.query('insert into gate default values')
    expect(await migrate(pool, folder)).toEqual(['functions'])
    expect(await greeting(pool)).toBe('Half')
  })
})

it('the oldest server that may write is the same after the functions were applied again', async () => {
  const pool = await openDatabase()
  const files = { '9998-newer.sql': 'select 1', '9999-compatible.sql': `${COMPATIBLE}select 1` }
  await migrate(pool, await newerMigrations(files))
  expect(await one(pool, 'oldest_server()')).toBe('juicebar 9998')
  await migrate(pool, await newerMigrations(files, greet('Hello')))
  expect(await one(pool, 'oldest_server()')).toBe('juicebar 9998')
  const empty = await openDatabase('template0')
  await migrate(empty, await newerMigrations(files))
  expect(await one(empty, 'oldest_server()')).toBe('juicebar 9998')
})

it('each function and trigger has one home, and its body is one that PostgreSQL accepts', async () => {
  const pool = await openDatabase()
  const texts = await Promise.all((await readdir(functionsFolder)).map((name) => readFile(join(functionsFolder, name), 'utf8')))
  // They are applied without this check, because a function may call others that come after it.
  for (const text of texts) await pool.query(text)
  const all = texts.join('\n')
  const functions = [...all.matchAll(/^create or replace function (\w+)/gm)].map(([, name = '']) => name)
  const needed = ['new_id', 'oldest_server', 'trade_time', 'unit_lamports']
  const known = await one(
    pool,
    `array(select proname::text from pg_proc p where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by proname)`,
  )
  expect([...functions, ...needed].toSorted()).toEqual(known)
  const triggers = [...all.matchAll(/^create or replace trigger (\w+)[^;]*? on (\w+)/gm)].map(([, name, table]) => `${name} on ${table}`)
  const made = await one<string[]>(pool, `array(select tgname || ' on ' || tgrelid::regclass from pg_trigger where not tgisinternal)`)
  expect(triggers.toSorted()).toEqual(made?.toSorted())
})
