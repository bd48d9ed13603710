import { readdir, readFile } from 'node:fs/promises'

import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'

import { makeSchema } from '../../schema/make-schema.ts'
import { printSchema } from '../../schema/print-schema.ts'
import { printTableTypes } from '../../schema/print-table-types.ts'
import { readCatalog } from '../../schema/read-catalog.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { newerMigrations } from '../support/migrations-folder.ts'

const readServerFile = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

async function openDatabase(template?: string) {
  const database = await freshDatabase(template)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  return { client, url: database.url }
}

it('the table types are those of the migrated database', async () => {
  const { url } = await openDatabase()
  expect(await printTableTypes(url), 'run `npm run schema`').toBe(await readServerFile('src/database/schema.ts'))
})

it('schema.sql shows the migrated database', async () => {
  const { client } = await openDatabase()
  expect(printSchema(await readCatalog(client)), 'run `npm run schema`').toBe(await readServerFile('schema.sql'))
})

it('schema.sql leaves nothing out: run on an empty database it makes the same one', async () => {
  const schema = await readServerFile('schema.sql')
  const { client } = await openDatabase('template0')
  await client.query(schema)
  expect(withoutComments(printSchema(await readCatalog(client)))).toBe(withoutComments(schema))
})

it('refuses to print a database that holds what it does not know', async () => {
  const { client } = await openDatabase()
  await client.query(`create type colour as enum ('red', 'green')`)
  await expect(readCatalog(client)).rejects.toThrow('type colour')
})

it('says what it cannot print, and stops its database', { timeout: 60_000 }, async () => {
  const dataDir = await tempFolder()
  const migrations = await newerMigrations({ '9999-colour.sql': `create type colour as enum ('red', 'green');` })
  await expect(makeSchema({ dataDir, migrations })).rejects.toThrow('type colour')
  const cluster = await readdir(`${dataDir}/cluster`)
  expect(cluster).toContain('PG_VERSION')
  expect(cluster).not.toContain('postmaster.pid')
})

function withoutComments(sql: string): string {
  return sql.replaceAll(/^ *--.*\n/gm, '')
}
