import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'

import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

/** A step of a plan that ran, as `auto_explain` prints it. */
export interface Step {
  'Node Type': string
  'Parent Relationship'?: string
  Filter?: string
  'Actual Rows': number
  'Actual Loops': number
  'Index Name'?: string
  'Relation Name'?: string
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Step[]
}

const SETTINGS = [
  `session_preload_libraries = 'auto_explain'`,
  'auto_explain.log_min_duration = 0',
  'auto_explain.log_analyze = on',
  'auto_explain.log_nested_statements = on',
  'auto_explain.log_format = json',
  'auto_explain.log_level = notice',
]

/** From now on, whoever connects to the client's database is told the plan of each statement that ran. */
export async function tellPlans(client: pg.Client): Promise<void> {
  for (const setting of SETTINGS) await client.query(`alter database ${client.database} set ${setting}`)
}

/** The steps of the statements that `call` runs that read more than `most` rows, whether or not they kept them. */
export type LongReadsOf = (call: () => Promise<unknown>, most: number) => Promise<string[]>

/** The plans of the statements that `call` runs. */
type PlansOf = (call: () => Promise<unknown>) => Promise<Step[]>

/** A database that was filled, and whose plans are watched. */
export interface FilledDatabase extends Pick<DatabaseConnection, 'database' | 'pool' | 'readPool'> {
  url: string
  connection: DatabaseConnection
  plansOfReads: PlansOf
  longReads: LongReadsOf
  longReadsOfWrites: LongReadsOf
}

/** The database of a test file, or of some of its tests, which `fill` has filled. The planner knows what is in it, and nobody counts `tables` again. */
export function useFilledDatabase(
  tables: readonly string[],
  fill: (client: pg.Client, connection: DatabaseConnection) => Promise<unknown>,
  millis = 120_000,
): FilledDatabase {
  const filled = {} as FilledDatabase
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
    const client = new pg.Client({ connectionString: fresh.url })
    await client.connect()
    // The planner's figures are the same in every run, and no background worker gathers others meanwhile.
    await client.query('select setseed(0.5)')
    for (const table of tables) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
    const filling = connectDatabase(fresh.url, () => undefined)
    await fill(client, filling)
    await filling.close()
    await client.query('vacuum analyze')
    await tellPlans(client)
    await client.end()
    const connection = connectDatabase(fresh.url, () => undefined)
    const { database, pool, readPool } = connection
    const plansOfReads = collectPlans(readPool)
    const [longReads, longReadsOfWrites] = [plansOfReads, collectPlans(pool)].map(longReadsIn)
    Object.assign(filled, { url: fresh.url, connection, database, pool, readPool, plansOfReads, longReads, longReadsOfWrites })
  }, millis)
  afterAll(async () => {
    await filled.connection.close()
    await fresh.drop()
  })
  return filled
}

/** Watches a pool that has not connected yet to a database after `tellPlans`. */
export function watchPlans({ pool }: Pick<DatabaseConnection, 'pool'>): LongReadsOf {
  return longReadsIn(collectPlans(pool))
}

function collectPlans(pool: DatabaseConnection['pool' | 'readPool']): PlansOf {
  const plans: Step[] = []
  pool.pg.on('connect', (opened) => {
    opened.on('notice', ({ message = '' }) => {
      const { Plan } = JSON.parse(message.slice(message.indexOf('{'))) as { Plan: Step }
      plans.push(Plan)
    })
  })
  return async (call) => {
    plans.length = 0
    await call()
    expect(plans).not.toEqual([])
    return [...plans]
  }
}

function longReadsIn(plansOf: PlansOf): LongReadsOf {
  return async (call, most) => (await plansOf(call)).flatMap((plan) => longReads(plan, most))
}

function longReads(step: Step, most: number): string[] {
  const removed = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Join Filter'] ?? 0)
  const rows = step['Actual Loops'] * (step['Actual Rows'] + removed)
  const source = step['Index Name'] ?? step['Relation Name'] ?? 'what other steps read'
  const here = rows > most ? [`${step['Node Type']} of ${source} read ${rows} rows`] : []
  return [...here, ...(step.Plans ?? []).flatMap((part) => longReads(part, most))]
}
