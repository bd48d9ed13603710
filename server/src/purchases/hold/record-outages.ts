import { type PurchaseDeps } from '../purchase-deps.ts'
import { beat, extendHolds } from './outage-store.ts'

const BEAT_MILLIS = 5_000

/**
 * Records in the database, every few seconds, that this server can reach it and the chain. If no server does so for longer, that is an
 * outage: no hold counts as abandoned during it, and buyers with a hold get more time to pay after it. While the database is down nothing
 * can be recorded, which is the point.
 * @returns a function that stops it
 */
export function startRecordingOutages({ database, chain, failures }: Pick<PurchaseDeps, 'database' | 'chain' | 'failures'>): () => void {
  const note = async () => {
    if (chain.isUp()) await recordOutage({ database })
  }
  const tryToNote = () => note().catch((error: unknown) => failures.failed(error, {}, 'a heartbeat could not be noted'))
  void tryToNote()
  const timer = setInterval(() => void tryToNote(), BEAT_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Records the outage that has just ended, if there was one, and gives the affected buyers their time back. */
export async function recordOutage({ database }: Pick<PurchaseDeps, 'database'>): Promise<void> {
  await beat(database)
  while (await extendHolds(database));
}
