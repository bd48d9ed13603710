import { readFile } from 'node:fs/promises'

import pg from 'pg'
import { expect } from 'vitest'

import { printSchema } from '../../schema/print-schema.ts'
import { readCatalog } from '../../schema/read-catalog.ts'

/** Whether an upgraded database is exactly what a new one would be. */
export async function expectSchemaOfToday(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const today = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8')
    expect(withoutRows(printSchema(await readCatalog(client)))).toBe(withoutRows(today))
  } finally {
    await client.end()
  }
}

/** Trading fills tables that are printed with their rows. */
function withoutRows(schema: string): string {
  return schema.replaceAll(/^insert into \w+ \(.*\) values\n(?: {2}\(.*\)[,;]\n)*/gm, '')
}
