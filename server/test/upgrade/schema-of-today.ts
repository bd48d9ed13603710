import { readFile } from 'node:fs/promises'

import pg from 'pg'
import { expect } from 'vitest'

import { printSchema } from '../../schema/print-schema.ts'
import { readCatalog } from '../../schema/read-catalog.ts'

/** Whether an upgraded database is exactly what a new one would be, and keeps its listings for sale as replies show them now. */
export async function expectSchemaOfToday(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const today = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8')
    const { rows } = await client.query(`select id from listings l where status = 'active' and reply_json <> render_listing(l)`)
    expect(rows).toEqual([])
    expect(withoutRows(printSchema(await readCatalog(client)))).toBe(withoutRows(today))
  } finally {
    await client.end()
  }
}

/** Trading fills tables that are printed with their rows. */
function withoutRows(schema: string): string {
  return schema.replaceAll(/^insert into \w+ \(.*\) values\n(?: {2}\(.*\)[,;]\n)*/gm, '')
}
