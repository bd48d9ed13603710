import { type BaseLogger } from 'pino'
import { type DatabaseConnection } from './connect.ts'
import { type MigrationStep } from './migration-turns.ts'
import { isDatabaseOutage } from '../runtime/database-failures.ts'
import { migrate } from './migrate.ts'
import { readMigrations } from './migration-files.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { delay, repeat } from '../runtime/repeat.ts'

/** The migration that is being applied, and for how long. */
export interface MigrationProgress extends Pick<MigrationStep, 'name' | 'number' | 'of'> {
  seconds: number
}

/** One migration in the log, from its first step to its last. */
class RunningMigration {
  readonly #log: Pick<BaseLogger, 'info' | 'warn'>
  readonly #since = performance.now()
  #step: MigrationStep

  constructor(step: MigrationStep, log: Pick<BaseLogger, 'info' | 'warn'>) {
    this.#step = step
    this.#log = log
    this.#tell()
  }

  get step(): MigrationStep {
    return this.#step
  }

  goOn(step: MigrationStep): void {
    const isNews = step.state !== this.#step.state
    this.#step = step
    if (isNews) this.#tell()
  }

  progress(): MigrationProgress {
    const { name, number, of } = this.#step
    return { name, number, of, seconds: Math.round((performance.now() - this.#since) / 1000) }
  }

  /** Whether the database is no longer working on it, which it would never report. Logs that the migration is slow. */
  async isLost(pool: DatabaseConnection['pool']): Promise<boolean> {
    const step = this.#step
    this.#log.warn({ migration: this.progress() }, `a migration takes long: ${step.state}`)
    if (step.backend === undefined) return false
    const { rowCount } = await pool.query('select from pg_stat_activity where pid = $1', [step.backend])
    return rowCount === 0 && this.#step === step
  }

  #tell(): void {
    this.#log.info({ migration: this.progress() }, `a migration: ${this.#step.state}`)
  }
}

const RETRY_MILLIS = 1_000
/** How soon a server notices that a newer one has upgraded the database. */
const WATCH_MILLIS = 500
/** How often a slow migration is logged, and its connection checked. */
const PROGRESS_MILLIS = 10_000

/**
 * The database's state for this server. unreached: it has not answered yet. migrating: this server, or another that it waits for, applies
 * migrations or functions. outdated: a newer server has upgraded the database, and this one must not work on it any more.
 */
export type DatabaseState = 'unreached' | 'migrating' | 'ready' | 'outdated'

export interface DatabasePreparation {
  state(): DatabaseState
  /** Undefined unless migrating. */
  progress(): MigrationProgress | undefined
  /** Migrates the database, retrying while it is down. Rejects if a migration itself fails. */
  run(): Promise<void>
  /**
   * Waits until a newer server has upgraded the database, so that this one must not work on it any more.
   * @returns false if the server is stopped before
   */
  untilOutdated(): Promise<boolean>
  stop(): Promise<void>
}

type Connection = Pick<DatabaseConnection, 'pool' | 'migrationPool'>
type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>

interface PreparationOptions {
  log: Log
  failures: FailureLog
  /** Decides what must be decided about the migrated database before anything is served. */
  check: (signal: AbortSignal) => Promise<void>
}

/** Migrates the database as soon as it is up, so that the server can start before the database. */
export function prepareDatabase(
  { pool, migrationPool }: Connection,
  folder: string,
  { log, failures, check: checkMigrated }: PreparationOptions,
): DatabasePreparation {
  const stopping = new AbortController()
  let state: DatabaseState = 'unreached'
  let migration: RunningMigration | undefined

  const migrateOnce = async () => {
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping.signal, lost.signal])
    const report = (step: MigrationStep) => {
      state = 'migrating'
      if (migration?.step.name === step.name) migration.goOn(step)
      else migration = new RunningMigration(step, log)
    }
    // If the database does not answer here, it says nothing about the migration.
    const check = async () => (await migration?.isLost(pool)) && lost.abort()
    const checks = setInterval(() => void check().catch(() => undefined), PROGRESS_MILLIS)
    try {
      return await migrate(migrationPool, folder, { signal, report })
    } finally {
      clearInterval(checks)
    }
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        const applied = await migrateOnce()
        await checkMigrated(stopping.signal)
        if (stopping.signal.aborted) return
        state = 'ready'
        log.info({ applied }, 'the database is ready')
        return
      } catch (error) {
        if (stopping.signal.aborted) return
        if (!isDatabaseOutage(error)) throw error
        if (migration) log.warn({ migration: migration.progress() }, 'a migration was interrupted; it starts again')
        failures.failed(error, {}, 'the database could not be migrated yet')
        state = 'unreached'
        migration = undefined
      }
      await delay(RETRY_MILLIS, stopping.signal)
    }
  }

  const untilOutdated = async () => {
    const own = (await readMigrations(folder)).map(({ name }) => name)
    const found = new AbortController()
    const look = async () => {
      const { rows } = await pool.query<{ name: string }>('select name from migrations where not compatible and name <> all($1)', [own])
      if (!rows[0]) return
      state = 'outdated'
      found.abort()
      log.error(
        { migration: rows[0].name },
        'a newer version has upgraded the database, and this one must not work on it: stop this server',
      )
    }
    const signal = AbortSignal.any([stopping.signal, found.signal])
    const failure = 'it is unknown whether a newer version has upgraded the database; trying again'
    await repeat(look, { everyMillis: WATCH_MILLIS, signal, failures, failure })
    return found.signal.aborted
  }

  return {
    state: () => state,
    progress: () => (state === 'migrating' ? migration?.progress() : undefined),
    run,
    untilOutdated,
    stop: async () => {
      const backend = migration?.step.backend
      stopping.abort()
      // Without its connection, the database would continue until the statement is done.
      if (backend !== undefined) await pool.query('select pg_cancel_backend($1)', [backend]).catch(() => undefined)
    },
  }
}
