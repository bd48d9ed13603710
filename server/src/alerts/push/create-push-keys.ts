import { type Database } from '../../database/connect.ts'
import { newPushKeys } from './push-request.ts'
import { findPushKeys, insertPushKeys, type PushKeys } from './push-key-store.ts'

/**
 * The keys that identify this market to push services. They are generated when first needed and are then the same on every server. They are
 * read each time, because a restored database may have different ones.
 */
export async function createPushKeys(database: Database): Promise<PushKeys> {
  const kept = await findPushKeys(database)
  if (kept) return kept
  await insertPushKeys(database, newPushKeys())
  const created = await findPushKeys(database)
  if (!created) throw new Error('the keys for pushes were not kept')
  return created
}
