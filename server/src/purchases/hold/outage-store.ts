import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'

/** Notes that database and chain can be reached. Records the outage that this ends, if there was one: `beat` in 0006-holds.sql. */
export async function beat(database: Database): Promise<void> {
  await sql`select beat()`.execute(database)
}
