import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { MAX_STAFF } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { type StudioKey } from '../../http/api/studio-key-check.ts'
import { checkSigners } from '../../inventory/check-signers.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { requireNoMoreThan, staffOf, type StaffWish } from './staff.ts'
import { isStaffFull, lockStaff, saveRemoval, saveStaff } from './staff-store.ts'

type Staff = Reply<'setStaff'>['staff']

interface Change {
  maker: StudioKey
  reason: string | undefined
  /** The wallets from the setting. */
  named: ReadonlySet<WalletAddress>
}

/**
 * Puts a wallet on the staff, or changes its scopes and name.
 * @throws WALLET_CANNOT_SIGN; STAFF_TOO_POWERFUL; TOO_MANY_STAFF
 */
export async function recordStaff(database: Database, wish: StaffWish, { maker, reason, named }: Change): Promise<Staff> {
  requireNoMoreThan(maker, wish)
  if (!(await checkSigners([wish.wallet])).has(wish.wallet)) throw new Failure('WALLET_CANNOT_SIGN')
  return inTransaction(database, async (tx) => {
    const before = await lockStaff(tx, wish.wallet)
    const isNew = !before || before.removedAt !== null
    if (isNew && (await isStaffFull(tx))) throw new Failure('TOO_MANY_STAFF', { detail: String(MAX_STAFF) })
    const staff = staffOf(wish.wallet, await saveStaff(tx, wish, maker.name), named)
    if (!staff) throw new Error('a new member of the staff is missing')
    const words = `scopes: ${wish.scopes.join(', ')}`
    const entry = { actor: maker.name, call: 'setStaff', subject: wish.wallet } as const
    await insertLogEntry(tx, { ...entry, reason: reason === undefined ? words : `${reason} (${words})` })
    return staff
  })
}

/**
 * Removes a wallet from the staff: none of its later calls is answered, on any server, even if the setting names it. Idempotent.
 * @throws STAFF_NOT_FOUND if it was never on the staff
 */
export async function recordRemoval(database: Database, wallet: WalletAddress, { maker, reason, named }: Change): Promise<void> {
  await inTransaction(database, async (tx) => {
    const row = await lockStaff(tx, wallet)
    const staff = staffOf(wallet, row, named)
    if (!staff && !row) throw new Failure('STAFF_NOT_FOUND')
    if (!staff) return
    await saveRemoval(tx, { ...staff, wallet }, maker.name)
    await insertLogEntry(tx, { actor: maker.name, call: 'removeStaff', subject: wallet, reason: reason ?? null })
  })
}
