import type pg from 'pg'

export interface Table {
  name: string
  unlogged: boolean
  /** Storage parameters as `create table … with (…)` takes them; null for none. */
  options: string | null
  comment: string | null
  columns: Column[]
  constraints: Constraint[]
  indexes: { definition: string; comment: string | null }[]
  /** What the migrations put in: the values of each row, as SQL literals. */
  rows: string[]
}

export interface Column {
  name: string
  type: string
  notNull: boolean
  identity: boolean
  generated: boolean
  /** Of the default, or of a generated column. */
  expression: string | null
  comment: string | null
}

export interface Constraint {
  name: string
  kind: 'p' | 'u' | 'f' | 'c'
  columns: string[]
  /** The table that a foreign key refers to. */
  target: string | null
  definition: string
  comment: string | null
}

export interface SqlFunction {
  name: string
  arguments: string
  result: string
  language: string
  volatility: string
  body: string
  comment: string | null
  /** A column's default, an index or a view calls it, so it comes before the tables. */
  beforeTables: boolean
}

export interface Catalog {
  extensions: string[]
  tables: Table[]
  views: { name: string; definition: string; comment: string | null }[]
  functions: SqlFunction[]
  triggers: { definition: string; comment: string | null }[]
}

/**
 * Reads everything in the `public` schema from PostgreSQL's catalog: tables and views in the order in which they were created, functions and
 * triggers, which are written again and again, in the order of their names.
 *
 * @throws Error if it holds something of a kind that would not be printed: better no schema than an incomplete one.
 */
export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  await assertNothingElse(client)
  const read = async <Row extends pg.QueryResultRow>(sql: string) => (await client.query<Row>(sql)).rows
  const tables: Table[] = []
  for (const table of await read<Omit<Table, 'rows'>>(tablesSql)) tables.push({ ...table, rows: await readRows(client, table.name) })
  return {
    extensions: (await read<{ name: string }>(extensionsSql)).map(({ name }) => name),
    tables,
    views: await read(viewsSql),
    functions: await read(functionsSql),
    triggers: await read(triggersSql),
  }
}

async function assertNothingElse(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ what: string }>(unknownSql)
  if (rows.length > 0) throw new Error(`cannot print ${rows.map(({ what }) => what).join(', ')}: teach server/schema/ to`)
}

/** Their rows are the steps, not the state. */
const stepTables = ['migrations', 'function_sets']

/** The rows of a table as SQL literals. */
async function readRows(client: pg.ClientBase, table: string): Promise<string[]> {
  if (stepTables.includes(table)) return []
  const { rows } = await client.query<{ values: string }>(
    `select (select string_agg(quote_nullable(value), ', ') from json_each_text(to_json(t))) as values from ${table} t order by 1`,
  )
  return rows.map(({ values }) => values)
}

const extensionsSql = `select extname as name from pg_extension where extname <> 'plpgsql' order by oid`

const tablesSql = `
  select c.relname as name, c.relpersistence = 'u' as unlogged, array_to_string(c.reloptions, ', ') as options,
    obj_description(c.oid, 'pg_class') as comment,
    (select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull, 'identity', a.attidentity <> '',
        'generated', a.attgenerated <> '', 'expression', pg_get_expr(d.adbin, d.adrelid, true), 'comment', col_description(c.oid, a.attnum))
        order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(json_agg(json_build_object(
        'name', k.conname, 'kind', k.contype, 'definition', pg_get_constraintdef(k.oid, true),
        'target', (select relname from pg_class where oid = k.confrelid),
        'columns', (select json_agg(a.attname order by place) from unnest(k.conkey) with ordinality as key (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = key.attnum),
        'comment', obj_description(k.oid, 'pg_constraint'))
        order by position(k.contype::text in 'pufc'), k.oid), '[]')
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')) as constraints,
    (select coalesce(json_agg(json_build_object(
        'definition', pg_get_indexdef(i.indexrelid, 0, true), 'comment', obj_description(i.indexrelid, 'pg_class'))
        order by i.indexrelid), '[]')
      from pg_index i
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))) as indexes
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.oid`

const viewsSql = `
  select relname as name, pg_get_viewdef(oid, true) as definition, obj_description(oid, 'pg_class') as comment
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by oid`

/** Without those that an extension brought. */
const ownFunctions = `
  pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

const functionsSql = `
  select p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
    (select lanname from pg_language where oid = p.prolang) as language,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
    p.prosrc as body, obj_description(p.oid, 'pg_proc') as comment,
    exists (select from pg_depend d
      where d.classid in ('pg_attrdef'::regclass, 'pg_class'::regclass, 'pg_rewrite'::regclass) and d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid) as "beforeTables"
  from ${ownFunctions} order by p.proname, p.oid::regprocedure::text`

const triggersSql = `
  select pg_get_triggerdef(oid, true) as definition, obj_description(oid, 'pg_trigger') as comment
  from pg_trigger where not tgisinternal order by (select relname from pg_class where oid = tgrelid), tgname`

const unknownSql = `
  select 'relation ' || c.relname as what from pg_class c
    where c.relnamespace = 'public'::regnamespace and (c.relkind not in ('r', 'v', 'i', 'S') or c.relispartition or c.relrowsecurity)
  union all select 'sequence ' || c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
  union all select 'type ' || t.typname from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd', 'r')
      and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  union all select 'rule ' || r.rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
    where c.relnamespace = 'public'::regnamespace and r.rulename <> '_RETURN'
  union all select 'constraint ' || k.conname from pg_constraint k
    where k.connamespace = 'public'::regnamespace and k.contype not in ('p', 'u', 'f', 'c', 'n')
  union all select 'options of function ' || p.proname from ${ownFunctions}
    and (p.prokind <> 'f' or p.proisstrict or p.prosecdef or p.proleakproof or p.proparallel <> 'u' or p.proconfig is not null)`
