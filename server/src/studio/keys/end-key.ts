import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { keyReply } from './studio-key.ts'
import { findKey, revokeKey } from './studio-key-store.ts'

interface Ending {
  id: string
  reason?: string | undefined
  actor: string
}

/**
 * Revokes a key: no call that begins afterwards is answered. Idempotent.
 * @throws KEY_NOT_FOUND
 */
export async function endKey(database: Database, { id, reason, actor }: Ending): Promise<Reply<'revokeStudioKey'>['key']> {
  if (!isId(id)) throw new Failure('KEY_NOT_FOUND')
  const row = await inTransaction(database, async (tx) => {
    if (await revokeKey(tx, id)) await insertLogEntry(tx, { actor, call: 'revokeStudioKey', subject: id, reason: reason ?? null })
    return findKey(tx, id)
  })
  if (!row) throw new Failure('KEY_NOT_FOUND')
  return keyReply(row)
}
