import { type Database } from '../../database/connect.ts'
import { newPushKeys } from './push-request.ts'
import { findPushKeys, insertPushKeys, type PushKeys } from './push-key-store.ts'

/**
 * The keys by which push services know this market: generated when they are first needed, and the same on every server from then on. They
 * are read each time, since a restored database may have others.
 */
export async function createPushKeys(database: Database): Promise<PushKeys> {
  const kept = await findPushKeys(database)
  if (kept) return kept
  await insertPushKeys(database, newPushKeys())
  const created = await findPushKeys(database)
  if (!created) throw new Error('the keys for pushes were not kept')
  return created
}
