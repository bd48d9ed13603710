import { type PurchaseDeps } from '../purchase-deps.ts'
import { beat, extendHolds } from './outage-store.ts'

const BEAT_MILLIS = 5_000

/**
 * Notes in the database, every few seconds, that this server reaches it and the chain: what all servers leave unsaid for longer is an
 * outage, during which no buyer abandons a hold, and after which whoever had a hold has more time to pay. While the database is away there
 * is nowhere to note anything, which is the point.
 * @returns the function that stops it
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

/** Records the outage that has just ended, if there was one, and gives its buyers their time back. */
export async function recordOutage({ database }: Pick<PurchaseDeps, 'database'>): Promise<void> {
  await beat(database)
  while (await extendHolds(database));
}
