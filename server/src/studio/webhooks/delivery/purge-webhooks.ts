import { type Database } from '../../../database/connect.ts'
import { purgeMessages } from '../messages/message-store.ts'
import { purgeDeliveries, purgeSecrets } from './delivery-store.ts'

/** A batch takes about as long as a player's call. */
const BATCH = 10_000

/** Deletes messages, records of deliveries and secrets that are too old, in short statements, until there are no more. */
export async function purgeWebhooks(database: Database, signal: AbortSignal): Promise<void> {
  await purgeSecrets(database)
  while (!signal.aborted && (await purgeMessages(database, BATCH)) === BATCH);
  while (!signal.aborted && (await purgeDeliveries(database, BATCH)) === BATCH);
}
