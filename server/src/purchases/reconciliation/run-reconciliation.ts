import { type PurchaseDeps } from '../purchase-deps.ts'
import { delay } from '../../repeat.ts'
import { beginRound } from './reconcile-round.ts'
import { pauseMillis } from './schedule.ts'

/** Rounds under way at once, at most. */
const ROUNDS = 32
/** The next round begins after this time in any case, so that reconciliations that wait for the chain do not delay others. */
const ROUND_MILLIS = 400

export interface Reconciliation {
  /**
   * Seconds since the last round began for which the database returned what is due; before the first such round, since this was created.
   */
  age(): number
  /**
   * Starts the rounds.
   * @returns a function that stops them; it resolves when the rounds under way are done
   */
  start(): () => Promise<void>
}

/**
 * Reconciles every purchase and every case with the chain, on each server. Everything it needs is in the database, so a closed browser or a
 * killed server changes nothing.
 */
export function createReconciliation(deps: PurchaseDeps): Reconciliation {
  let begunAt = performance.now()
  const onBegun = () => (begunAt = performance.now())
  return {
    age: () => (performance.now() - begunAt) / 1_000,
    start: () => {
      const stopping = new AbortController()
      const running = run(deps, stopping.signal, onBegun)
      return async () => {
        stopping.abort()
        await running
      }
    },
  }
}

async function run(deps: PurchaseDeps, signal: AbortSignal, onBegun: () => void): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  while (!signal.aborted) {
    let more = false
    try {
      const round = await beginRound(deps)
      onBegun()
      more = round.more
      underWay.add(round.done)
      void round.done.then(() => underWay.delete(round.done))
      await Promise.race([round.done, delay(ROUND_MILLIS, signal)])
    } catch (error) {
      deps.failures.failed(error, {}, 'a round of reconciliation failed; trying again')
    }
    await delay(pauseMillis({ more }), signal)
    if (underWay.size >= ROUNDS) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
