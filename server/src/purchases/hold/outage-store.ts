import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'

/** The number of holds extended in one transaction. */
const EXTENDED_TOGETHER = 100

/** Records that database and chain can be reached, and the outage that this ends, if there was one: `beat` in functions/outages.sql. */
export async function beat(database: Database): Promise<void> {
  await sql`select beat()`.execute(database)
}

/**
 * Extends the open holds whose time to pay was interrupted by an outage: `extend_holds` in functions/outages.sql.
 * @returns whether there may be more
 */
export async function extendHolds(database: Database): Promise<boolean> {
  const { rows } = await sql<{ extended: number }>`select extend_holds(${EXTENDED_TOGETHER}) as extended`.execute(database)
  return rows[0]?.extended === EXTENDED_TOGETHER
}
