import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  readMigrations,
  SchemaMismatchError,
} from '../../src/database/migration-files.ts'
import { COMPATIBLE, functionsFolder, migrationsFolder, newerMigrations } from '../support/migrations-folder.ts'

const file = (name: string, compatible = false): Migration => ({ name, sql: '', checksum: `of ${name}`, compatible, replaces: [] })
const replaced = (name: string) => ({ name, checksum: `of ${name}`, keepsTime: false })
const own = [file('0001-a.sql'), file('0002-b.sql')]

describe('the migrations that a server applies', () => {
  it.each<[string, AppliedMigration[], string[]]>([
    ['all of them to an empty database', [], ['0001-a.sql', '0002-b.sql']],
    ['those that are missing', own.slice(0, 1), ['0002-b.sql']],
    ['none if all were applied', own, []],
    ['none to the database of a newer server, if what it added is compatible', [...own, file('0003-c.sql', true)], []],
  ])('%s', (_which, applied, pending) => {
    expect(pendingMigrations(own, applied).map(({ name }) => name)).toEqual(pending)
  })

  it.each<[string, AppliedMigration[], string]>([
    ['of a newer server that added what is not compatible', [...own, file('0003-c.sql', true), file('0004-d.sql')], '0004-d.sql'],
    ['of another version that is not newer', [file('0001-a.sql'), file('0003-c.sql', true)], '0003-c.sql'],
    ['whose migration differs', [{ ...file('0001-a.sql'), checksum: 'another' }], '0001-a.sql'],
  ])('none to a database %s: it is refused', (_which, applied, named) => {
    expect(() => pendingMigrations(own, applied)).toThrow(named)
  })
})

describe('a migration that replaces others', () => {
  const steps = [file('0002-b.sql', true), file('0003-c.sql')]
  const own = [
    file('0001-a.sql'),
    { ...file('0004-release-2.0.sql'), replaces: steps.map(({ name }) => replaced(name)) },
    file('0005-e.sql'),
  ]

  it.each<[string, AppliedMigration[], string[]]>([
    ['is applied to a database that has none of them', own.slice(0, 1), ['0004-release-2.0.sql', '0005-e.sql']],
    ['takes the place of all of them', [file('0001-a.sql'), ...steps], ['0004-release-2.0.sql', '0005-e.sql']],
    ['is applied once', own.slice(0, 2), ['0005-e.sql']],
  ])('%s', (_what, applied, pending) => {
    expect(pendingMigrations(own, applied).map(({ name }) => name)).toEqual(pending)
  })

  it.each<[string, AppliedMigration[], string]>([
    ['has some of them', [file('0001-a.sql'), file('0002-b.sql', true)], 'it has 1 of the 2 migrations of 2.0. Databases between releases'],
    [
      'has others by their names',
      [file('0001-a.sql'), file('0002-b.sql'), { ...file('0003-c.sql'), checksum: 'another' }],
      'it has 1 of the 2 migrations of 2.0. Databases between releases are not supported: 2.0 must run on it first. Start that version',
    ],
    ['has it and one of them', [...own.slice(0, 2), file('0003-c.sql')], 'it has migration 0003-c.sql, which this version lacks'],
    [
      'has all of them and another',
      [file('0001-a.sql'), ...steps, file('0003-d.sql')],
      'it has migration 0003-d.sql, which this version lacks',
    ],
  ])('refuses a database that %s', (_what, applied, sentence) => {
    expect(() => pendingMigrations(own, applied)).toThrow(SchemaMismatchError)
    expect(() => pendingMigrations(own, applied)).toThrow(sentence)
  })
})

/** Tables whose rows say what is paid, owed and delivered. */
const ledgerTables = ['purchases', 'payments', 'cases', 'history_searches', 'outages', 'transfers', 'balances']

/** These tables, and every function that reads or writes one of them, itself or through others. */
function holdAndSettle(): RegExp {
  const schema = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8')
  const functions = [...schema.matchAll(/^create function (\w+)[\s\S]*?\$\$;$/gm)].map(([text, name = '']) => ({ text, name }))
  const names = new Set(ledgerTables)
  const mentions = (text: string) => new RegExp(`\\b(?:${[...names].join('|')})\\b`).test(text)
  for (let size = 0; size < names.size;) {
    size = names.size
    for (const { text, name } of functions) if (mentions(text)) names.add(name)
  }
  return new RegExp(`\\b(?:${[...names].join('|')})\\b`)
}

/** An index that is not unique refuses nothing, and no server names it. */
const harmless = /^create index [^;]*;|^comment on index [^;]*;/gm

const touched = (sql: string) => holdAndSettle().exec(sql.replaceAll(/--.*/g, '').replaceAll(harmless, ''))?.[0]

describe('a migration that older servers may run on', () => {
  it.each([
    ['alter table purchases add column tip bigint', 'purchases'],
    ['create or replace function settle_purchase() returns void', 'settle_purchase'],
    ['drop function write_hold', 'write_hold'],
    ['create or replace function reservation_facts() returns text', 'reservation_facts'],
    ['update payments set slot = 0', 'payments'],
    ['alter table listings add column title text', undefined],
    ['create index on events (type) -- not on purchases', undefined],
    ['create index on transfers (kind); alter table transfers add column tip bigint', 'transfers'],
    ['create unique index on transfers (wallet_address);', 'transfers'],
    ['create index on transfers (wallet_address);', undefined],
  ])('%s: touches %s', (sql, name) => {
    expect(touched(sql)).toBe(name)
  })

  it('never touches hold or settle', async () => {
    const claims = (await readMigrations(migrationsFolder)).filter(({ compatible }) => compatible)
    expect(claims.map(({ name, sql }) => [name, touched(sql)])).toEqual(claims.map(({ name }) => [name, undefined]))
  })

  it('says so in a line of its own', async () => {
    const folder = await newerMigrations({ '9998-a.sql': `-- Titles.\n${COMPATIBLE}select 1;`, '9999-b.sql': `select '${COMPATIBLE}';` })
    expect((await readMigrations(folder)).slice(-2).map(({ compatible }) => compatible)).toEqual([true, false])
  })
})

/** The functions and triggers whose meaning servers must agree on: their texts, without comments, in the order of these. */
function functionsThatHoldAndSettle(): string[] {
  const files = readdirSync(functionsFolder).map((name) => readFileSync(join(functionsFolder, name), 'utf8').replaceAll(/ *--.*/g, ''))
  const statements = files.flatMap((text) => text.match(/^create or replace (?:function[\s\S]*?\$\$;|trigger[\s\S]*?;)$/gm) ?? [])
  return statements.filter((sql) => touched(sql) !== undefined).toSorted()
}

it('functions that hold and settle are those of the newest migration that older servers may not run beside', async () => {
  const texts = functionsThatHoldAndSettle()
  const names = texts.map((sql) => /(?:function|trigger) (\w+)/.exec(sql)?.[1])
  expect(names).toEqual(expect.arrayContaining(['settle_purchase', 'write_hold', 'post_transfer', 'beat', 'cases_note_opened']))
  expect(names).not.toContain('roll_up_sales')
  const newest = (await readMigrations(migrationsFolder)).findLast(({ compatible }) => !compatible)
  const line = `-- functions that hold and settle: ${createHash('sha256').update(texts.join('\n')).digest('hex')}`
  expect(newest?.sql, `${newest?.name} must say: ${line}`).toContain(line)
})
