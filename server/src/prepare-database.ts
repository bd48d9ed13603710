import { type BaseLogger } from 'pino'
import type pg from 'pg'

import { migrate } from './database/migrate.ts'
import { pause } from './repeat.ts'
import { isDatabaseOutage } from './http/server/database-outage.ts'

const RETRY_MILLIS = 1_000

export interface DatabasePreparation {
  isReady(): boolean
  /** Migrates the database, retrying while it is down. Rejects if a migration itself fails. */
  run(): Promise<void>
  stop(): void
}

/** Migrates the database as soon as it is up, so that the server can start before the database. */
export function prepareDatabase(pool: pg.Pool, folder: string, log: Pick<BaseLogger, 'info' | 'warn'>): DatabasePreparation {
  const stopping = new AbortController()
  let ready = false

  const run = async () => {
    for (let warned = false; !stopping.signal.aborted; warned = true) {
      try {
        const applied = await migrate(pool, folder)
        ready = true
        log.info({ applied }, 'the database is ready')
        return
      } catch (error) {
        if (!isDatabaseOutage(error)) throw error
        if (!warned) log.warn({ err: error }, 'the database cannot be reached; retrying every second')
      }
      await pause(RETRY_MILLIS, stopping.signal)
    }
  }

  return { isReady: () => ready, run, stop: () => stopping.abort() }
}
