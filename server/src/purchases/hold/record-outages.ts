import { type PurchaseDeps } from '../purchase-deps.ts'
import { beat } from './outage-store.ts'

const BEAT_MILLIS = 5_000

/**
 * Notes in the database, every few seconds, that this server reaches it and the chain: what all servers leave unsaid for longer is an
 * outage, during which no buyer abandons a hold. While the database is away there is nowhere to note anything, which is the point.
 * @returns the function that stops it
 */
export function startRecordingOutages({ database, chain, log }: Pick<PurchaseDeps, 'database' | 'chain' | 'log'>): () => void {
  const note = () => {
    if (!chain.isUp()) return
    beat(database).catch((error: unknown) => log.debug({ err: error }, 'a heartbeat could not be noted'))
  }
  note()
  const timer = setInterval(note, BEAT_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}
