import { Failure } from '@juicebar/contract/errors'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { LISTINGS_PAGE, MAX_KEYS } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { type StudioKey } from '../../http/credentials.ts'
import { hashSecret, keyReply, type KeyWish, newSecret, requireNoMorePower, requireOwn } from './studio-key.ts'
import { findKey, insertKey, revokeKey, listKeys, readLine, readNamespace } from './studio-key-store.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { insertLogEntry } from '../log/studio-log-store.ts'
import { isId } from '@juicebar/contract/ids'

/**
 * Makes a key. Its secret is in this reply and nowhere else.
 * @throws KEY_TOO_POWERFUL if it could do more than its maker's key; BAD_REQUEST if it has already expired; TOO_MANY_KEYS; KEY_NOT_FOUND or
 *   NOT_YOUR_KEY for the key that it replaces
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
    const namespace = wish.replaces === null ? null : await readInherited(tx, maker, wish.replaces)
    const inserted = await insertKey(tx, { wish, hash, maker, namespace })
    if (inserted === 'expired') throw new Failure('BAD_REQUEST', { detail: 'expiresAt must be in the future.' })
    if (inserted === 'too many') throw new Failure('TOO_MANY_KEYS', { detail: String(MAX_KEYS) })
    await insertLogEntry(tx, { actor: maker.name, call: 'createStudioKey', subject: inserted.id, reason: reason ?? null })
    return findKey(tx, inserted.id)
  })
  if (!row) throw new Error('a new key is missing')
  return { ...keyReply(row), secret }
}

/** What a key inherits from the one that it replaces. */
async function readInherited(tx: Tx, maker: StudioKey, replaced: string): Promise<string> {
  requireOwn(maker, isId(replaced) ? await readLine(tx, replaced) : [])
  return readNamespace(tx, replaced)
}

interface Ending {
  id: string
  reason?: string | undefined
  /** Who asks for it. */
  by: StudioKey
}

/**
 * Revokes a key: no call that begins afterwards is answered. Idempotent.
 * @throws KEY_NOT_FOUND; NOT_YOUR_KEY
 */
export async function endKey(database: Database, { id, reason, by }: Ending): Promise<Reply<'revokeStudioKey'>['key']> {
  if (!isId(id)) throw new Failure('KEY_NOT_FOUND')
  const row = await inTransaction(database, async (tx) => {
    requireOwn(by, await readLine(tx, id))
    if (await revokeKey(tx, id)) await insertLogEntry(tx, { actor: by.name, call: 'revokeStudioKey', subject: id, reason: reason ?? null })
    return findKey(tx, id)
  })
  if (!row) throw new Failure('KEY_NOT_FOUND')
  return keyReply(row)
}

/**
 * One page of the keys, the newest first.
 * @throws CURSOR_INVALID
 */
export async function readKeys(database: Database, { cursor, limit = LISTINGS_PAGE }: Query<'studioKeys'>): Promise<Reply<'studioKeys'>> {
  if (cursor !== undefined && !isId(cursor)) throw new Failure('CURSOR_INVALID')
  const rows = await listKeys(database, { before: cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { keys: shown.map(keyReply), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
