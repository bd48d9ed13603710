import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { MAX_KEYS } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { type StudioKey } from '../../http/api/studio-key-check.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { hashSecret, keyReply, type KeyWish, newSecret, requireNoMorePower } from './studio-key.ts'
import { findKey, insertKey } from './studio-key-store.ts'

/**
 * Makes a key. Its secret is in this reply and nowhere else.
 * @throws KEY_TOO_POWERFUL if it could do more than its maker's key; BAD_REQUEST if it has already expired; TOO_MANY_KEYS
 */
export async function createKey(
  database: Database,
  maker: StudioKey,
  wish: KeyWish,
  reason?: string,
): Promise<Reply<'createStudioKey'>['key']> {
  requireNoMorePower(maker, wish)
  const secret = newSecret()
  const hash = hashSecret(secret)
  if (!hash) throw new Error('a new secret is not well-formed')
  const row = await inTransaction(database, async (tx) => {
    const inserted = await insertKey(tx, { wish, hash, createdBy: maker.name })
    if (inserted === 'expired') throw new Failure('BAD_REQUEST', { detail: 'expiresAt must be in the future.' })
    if (inserted === 'too many') throw new Failure('TOO_MANY_KEYS', { detail: String(MAX_KEYS) })
    await insertLogEntry(tx, { actor: maker.name, call: 'createStudioKey', subject: inserted.id, reason: reason ?? null })
    return findKey(tx, inserted.id)
  })
  if (!row) throw new Error('a new key is missing')
  return { ...keyReply(row), secret }
}
