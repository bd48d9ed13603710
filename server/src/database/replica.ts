import { performance } from 'node:perf_hooks'
import { type BaseLogger } from 'pino'
import { Outage, reasonOf } from '../runtime/outage.ts'
import { startRepeating } from '../runtime/repeat.ts'
import { type DatabasePool, type PoolUse } from './database-pool.ts'

/** A replica further behind is not used. */
const MAX_LAG_MILLIS = 2_000
const CHECK_MILLIS = 500

/**
 * The position of a database's write-ahead log, and its identity: two clusters never share an identifier, nor two databases of one cluster
 * an oid.
 */
const POSITION = `
  select (select system_identifier from pg_control_system()) || ' ' || (select oid from pg_database where datname = current_database()) as of,
    pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::int8 as lsn`

interface LogPosition {
  of: string
  lsn: bigint
}

/** At this time of the server's clock, the primary had written this much or less. */
export interface WrittenBy {
  at: number
  lsn: bigint
}

/** The latest time whose changes are all on a replica at this position; undefined if it is behind all of them. */
export function caughtUpTo(written: readonly WrittenBy[], replayed: bigint): number | undefined {
  return written.findLast(({ lsn }) => lsn <= replayed)?.at
}

interface ReplicaOptions {
  replica: DatabasePool
  primary: DatabasePool
  log: Pick<BaseLogger, 'warn'>
}

export interface ReplicaState {
  /** Whether it is read from. */
  isUsed(): boolean
  /** Seconds since it was last proved to show everything committed until then; at first, since this was created. */
  lagSeconds(): number
  use(): PoolUse
  stop(): Promise<void>
}

/**
 * Reads from the replica while it is proved to show everything that was committed up to two seconds ago, and otherwise, or if that
 * fails, from the primary.
 * @returns `stop`, which ends the checks
 */
export function readFromReplica({ replica, primary, log }: ReplicaOptions): Pick<DatabasePool, 'query'> & ReplicaState {
  let written: WrittenBy[] = []
  let caughtUp = -Infinity
  /** The last time up to which it was caught up, in use or not. */
  let lastCaughtUp = performance.now()
  const outage = new Outage({
    log,
    fields: { outage: 'replica' },
    began: 'the replica is not read from',
    ended: 'the replica is read from again',
  })

  const isUsed = () => performance.now() - caughtUp <= MAX_LAG_MILLIS

  const check = async () => {
    const { rows: replayed } = await replica.query<LogPosition>(POSITION)
    const at = performance.now()
    const { rows: current } = await primary.query<LogPosition>(POSITION)
    const [there, here] = [replayed[0], current[0]]
    if (!there || !here || there.of !== here.of) throw new Error('DATABASE_READ_URL is no replica of the database of DATABASE_URL')
    if (there.lsn > here.lsn) throw new Error('the replica has changes that the primary has not')
    written = [...written.filter((earlier) => at - earlier.at < MAX_LAG_MILLIS), { at, lsn: here.lsn }]
    caughtUp = caughtUpTo(written, there.lsn) ?? -Infinity
    lastCaughtUp = Math.max(lastCaughtUp, caughtUp)
    if (caughtUp === -Infinity) throw new Error(`the replica is more than ${MAX_LAG_MILLIS / 1_000} s behind`)
    outage.worked()
  }
  const checkOrLeave = async () => {
    try {
      await check()
    } catch (error) {
      caughtUp = -Infinity
      throw error
    }
  }
  const stop = startRepeating(checkOrLeave, {
    everyMillis: CHECK_MILLIS,
    failures: { outageOf: () => outage, failed: (error) => outage.failed(reasonOf(error)) },
    failure: 'the replica cannot be read from; using the primary',
  })

  return {
    query: async (text, values) => {
      if (!isUsed()) return primary.query(text, values)
      try {
        return await replica.query(text, values)
      } catch {
        // If the problem is not the replica, the primary reports it again.
        caughtUp = -Infinity
        return primary.query(text, values)
      }
    },
    isUsed,
    lagSeconds: () => (performance.now() - lastCaughtUp) / 1_000,
    use: () => replica.use,
    stop,
  }
}
