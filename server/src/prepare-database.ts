import { setTimeout as sleep } from 'node:timers/promises'

import { type BaseLogger } from 'pino'
import type pg from 'pg'

import { migrate } from './database/migrate.ts'
import { isDatabaseOutage } from './http/server/database-outage.ts'

const TRY_AGAIN_MILLIS = 1_000

export interface DatabasePreparation {
  isReady(): boolean
  /** Migrates, trying again for as long as the database is away. Rejects where a migration itself fails. */
  run(): Promise<void>
  stop(): void
}

/** Brings the database to this version's tables whenever it comes up, so that the server may start before it. */
export function prepareDatabase(pool: pg.Pool, folder: string, log: Pick<BaseLogger, 'info' | 'warn'>): DatabasePreparation {
  const stopping = new AbortController()
  let ready = false

  const run = async () => {
    for (let told = false; !stopping.signal.aborted; told = true) {
      try {
        const applied = await migrate(pool, folder)
        ready = true
        log.info({ applied }, 'the database is ready')
        return
      } catch (error) {
        if (!isDatabaseOutage(error)) throw error
        if (!told) log.warn({ err: error }, 'the database cannot be reached; trying again every second')
      }
      await sleep(TRY_AGAIN_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return { isReady: () => ready, run, stop: () => stopping.abort() }
}
