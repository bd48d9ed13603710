import { type BaseLogger } from 'pino'

import { type DatabaseConnection } from './connect.ts'
import { type MigrationStep } from './migration-turns.ts'

/** The migration that is being applied, and for how long. */
export interface MigrationProgress extends Pick<MigrationStep, 'name' | 'number' | 'of'> {
  seconds: number
}

/** One migration in the log, from its first step to its last. */
export class RunningMigration {
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
