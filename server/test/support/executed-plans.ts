import type pg from 'pg'
import { expect } from 'vitest'

import { type DatabaseConnection } from '../../src/database/connect.ts'

/** A step of a plan that ran, as `auto_explain` prints it. */
interface Step {
  'Node Type': string
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

/** Watches a pool that has not connected yet to a database after `tellPlans`. */
export function watchPlans({ pool }: DatabaseConnection): LongReadsOf {
  const plans: Step[] = []
  pool.pg.on('connect', (opened) => {
    opened.on('notice', ({ message = '' }) => {
      const { Plan } = JSON.parse(message.slice(message.indexOf('{'))) as { Plan: Step }
      plans.push(Plan)
    })
  })
  return async (call, most) => {
    plans.length = 0
    await call()
    expect(plans).not.toEqual([])
    return plans.flatMap((plan) => longReads(plan, most))
  }
}

function longReads(step: Step, most: number): string[] {
  const removed = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Join Filter'] ?? 0)
  const rows = step['Actual Loops'] * (step['Actual Rows'] + removed)
  const source = step['Index Name'] ?? step['Relation Name'] ?? 'what other steps read'
  const here = rows > most ? [`${step['Node Type']} of ${source} read ${rows} rows`] : []
  return [...here, ...(step.Plans ?? []).flatMap((part) => longReads(part, most))]
}
