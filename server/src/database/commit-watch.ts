import { delay, startRepeating } from '../runtime/repeat.ts'
import { type CommitGate, type DatabasePool } from './database-pool.ts'
import { CommitsWaitError, REQUIRE_WRITABLE, UnconfirmedCommitError } from './hosts.ts'

/** If one commit waits longer than this for a standby, all commits are assumed to wait. Confirming one normally takes milliseconds. */
export const WAIT_MILLIS = 1_000
/** Between the end of one commit and the next. */
const EVERY_MILLIS = { confirmed: 1_000, otherwise: 250 }

/**
 * Is refused wherever changes are, and then commits some hundred bytes of log, as each change does. Because the commit is a part of the
 * statement, `statement_timeout` ends its wait for a standby. Any other commit keeps waiting when its connection is lost, so each
 * attempt would leave one more connection behind in the database.
 */
const COMMIT = `do $$ begin
  ${REQUIRE_WRITABLE}
  perform pg_logical_emit_message(true, 'juicebar', '');
  commit;
end $$`

/**
 * Starts to commit once a second, even without calls.
 * @returns a function that stops it
 */
export type WatchCommits = (failures: Parameters<typeof startRepeating>[1]['failures']) => () => Promise<void>

/**
 * Commits once a second, closes the gate while commits wait for a standby, and opens it as soon as one is confirmed.
 * @param pool with `WAIT_MILLIS` as its `statement_timeout`
 */
export function createCommitWatch(pool: DatabasePool, gate: CommitGate): WatchCommits {
  const commit = async () => {
    try {
      await pool.query(COMMIT)
      gate.open()
    } catch (cause) {
      if (!(cause instanceof UnconfirmedCommitError)) throw cause
      const error = new CommitsWaitError('commits wait for a stand-by to confirm them', { cause })
      gate.close(error)
      throw error
    }
  }

  const commitAndRest = async (signal: AbortSignal) => {
    await commit()
    await delay(EVERY_MILLIS.confirmed - EVERY_MILLIS.otherwise, signal)
  }
  const failure = 'it is unknown whether commits wait for a stand-by; trying again'
  return (failures) => startRepeating(commitAndRest, { everyMillis: EVERY_MILLIS.otherwise, failures, failure })
}
