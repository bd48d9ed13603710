import { type Catalog, type Column, type Constraint, type SqlFunction, type Table } from './read-catalog.ts'

const WIDTH = 140

const HEADER = `-- The database as migrations and functions leave it, for reading; nothing applies this file. \`npm run schema\` writes it, and a test compares
-- it with a migrated database.`

const FUNCTIONS_IN_ANY_ORDER = `-- A function may call others that come after it.
set check_function_bodies = off;`

/**
 * Prints a database as SQL that would create it: each table with its comments and indexes, then views, functions and triggers.
 * Comments become SQL comments. Names that PostgreSQL chose itself are left out.
 */
export function printSchema({ extensions, tables, views, functions, triggers }: Catalog): string {
  const parts = [
    HEADER,
    FUNCTIONS_IN_ANY_ORDER,
    ...extensions.map((name) => `create extension ${name};`),
    ...functions.filter((one) => one.beforeTables).map(printFunction),
    ...inOrderOfReference(tables).map(printTable),
    ...views.map((view) => `${comment(view.comment)}create view ${view.name} as\n${tidy(view.definition)}`),
    ...functions.filter((one) => !one.beforeTables).map(printFunction),
    ...triggers.map((trigger) => `${comment(trigger.comment)}${tidy(trigger.definition)};`),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Each table after those that its foreign keys refer to, otherwise as created. */
function inOrderOfReference(tables: readonly Table[]): Table[] {
  const ordered = new Set<Table>()
  const add = (table: Table) => {
    const targets = table.constraints.map(({ target }) => target)
    for (const other of tables) if (other !== table && targets.includes(other.name) && !ordered.has(other)) add(other)
    ordered.add(table)
  }
  for (const table of tables) add(table)
  return [...ordered]
}

function printTable(table: Table): string {
  const whole = table.constraints.filter((constraint) => !isOfColumn(constraint))
  const entries = [
    ...table.columns.map((column) => ({ comment: column.comment, sql: printColumn(table, column) })),
    ...whole.map((constraint) => ({ comment: constraint.comment, sql: printConstraint(table.name, constraint) })),
  ]
  const lines = entries.map(({ comment: text, sql }, index) => `${comment(text, '  ')}  ${sql}${index < entries.length - 1 ? ',' : ''}`)
  const options = table.options ? ` with (${table.options})` : ''
  const indexes = table.indexes.map((index) => `${comment(index.comment)}${tidy(index.definition)};`)
  return [
    `${comment(table.comment)}create ${table.unlogged ? 'unlogged ' : ''}table ${table.name} (`,
    ...lines,
    `)${options};`,
    ...indexes,
    ...printRows(table),
  ].join('\n')
}

function printRows({ name, columns, rows }: Table): string[] {
  if (rows.length === 0) return []
  return [
    `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values`,
    `${rows.map((row) => `  (${row})`).join(',\n')};`,
  ]
}

function printColumn(table: Table, { name, type, notNull, identity, generated, expression }: Column): string {
  const own = table.constraints.filter((constraint) => isOfColumn(constraint) && constraint.columns[0] === name)
  const [keys, others] = [own.filter(({ kind }) => kind === 'p'), own.filter(({ kind }) => kind !== 'p')]
  const printOwn = (constraint: Constraint) => printConstraint(table.name, constraint)
  const parts = [name, tidy(type), ...keys.map(printOwn)]
  if (notNull && keys.length === 0 && !identity) parts.push('not null')
  if (identity) parts.push('generated always as identity')
  if (expression !== null) parts.push(generated ? `generated always as (${tidy(expression)}) stored` : `default ${tidy(expression)}`)
  return [...parts, ...others.map(printOwn)].join(' ')
}

/** Whether a constraint is about one column, and so stands beside it. */
function isOfColumn({ columns, comment: text }: Constraint): boolean {
  return columns.length === 1 && text === null
}

function printConstraint(table: string, constraint: Constraint): string {
  const { name, kind, columns } = constraint
  const list = columns.join('_')
  const chosenName = { p: 'pkey', u: `${list}_key`, f: `${list}_fkey`, c: `(${list}_)?check\\d*` }[kind]
  const definition = tidy(constraint.definition)
  const inPlace = isOfColumn(constraint) ? definition.replace(/^foreign key \(\w+\) |(?<=^primary key|^unique) \(\w+\)/, '') : definition
  return new RegExp(`^${table}_${chosenName}$`).test(name) ? inPlace : `constraint ${name} ${inPlace}`
}

function printFunction(one: SqlFunction): string {
  const volatility = one.volatility === 'volatile' ? '' : ` ${one.volatility}`
  const takes = tidy(one.arguments)
  const rest = `returns ${tidy(one.result)} language ${one.language}${volatility} as $$`
  const head = `create function ${one.name}(${takes}) ${rest}`
  const fitting = head.length <= WIDTH ? head : `create function ${one.name}(\n  ${takes}\n) ${rest}`
  return `${comment(one.comment)}${fitting}${one.body}$$;`
}

/**
 * PostgreSQL's own rendering in the style of the migrations: keywords in lower case, `in (…)` for `= any (array[…])`, and no casts
 * that it adds to literals.
 */
function tidy(sql: string): string {
  const lowered = sql
    .split(/('(?:[^']|'')*')/)
    .map((part) => (part.startsWith("'") ? part : part.toLowerCase()))
    .join('')
  return lowered
    .replaceAll(/('(?:[^']|'')*'|null)::text/g, '$1')
    .replaceAll(/'?(\d+)'?::bigint/g, '$1')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)')
    .replaceAll(' using btree', '')
}

/** A comment as SQL comment lines, each at most 140 columns wide; nothing for null. */
function comment(text: string | null, indent = ''): string {
  if (text === null) return ''
  const lines = text.split('\n').flatMap((line) => wrap(line, WIDTH - indent.length - 3))
  return lines.map((line) => `${indent}-- ${line}\n`).join('')
}

function wrap(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  const cut = line.lastIndexOf(' ', width)
  return cut <= 0 ? [line] : [line.slice(0, cut), ...wrap(line.slice(cut + 1), width)]
}
