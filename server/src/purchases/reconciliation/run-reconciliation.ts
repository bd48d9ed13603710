import { type PurchaseDeps } from '../purchase-deps.ts'
import { pause } from '../../repeat.ts'
import { beginRound } from './reconcile-round.ts'
import { pauseMillis } from './schedule.ts'

/** Rounds under way at once, at most. */
const ROUNDS = 32
/** The next round begins after this long in any case: reconciliations that wait for the chain keep no others waiting. */
const ROUND_MILLIS = 400

/**
 * Reconciles every purchase and every case with the chain, on each server. All that it needs to know is in the database, so a closed
 * browser or a killed server changes nothing.
 * @returns `stop`, which waits for the rounds under way.
 */
export function startReconciliation(deps: PurchaseDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = run(deps, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function run(deps: PurchaseDeps, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  while (!signal.aborted) {
    let more = false
    try {
      const round = await beginRound(deps)
      more = round.more
      underWay.add(round.done)
      void round.done.then(() => underWay.delete(round.done))
      await Promise.race([round.done, pause(ROUND_MILLIS, signal)])
    } catch (error) {
      deps.log.warn({ err: error }, 'a round of reconciliation failed; trying again')
    }
    await pause(pauseMillis({ more }), signal)
    if (underWay.size >= ROUNDS) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
