import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Scope, scopes as allScopes } from '@juicebar/contract/scopes'

import { type StudioKey } from '../../http/api/studio-key-check.ts'
import { type StaffRow } from './staff-store.ts'

type Staff = Reply<'setStaff'>['staff']

/** What somebody asks for a wallet. */
export interface StaffWish {
  wallet: WalletAddress
  name: string | null
  scopes: readonly Scope[]
}

/**
 * What a wallet may do at the desk: what a call has last said of it, else all if the setting names it.
 * @param row undefined if no call has said anything
 * @returns undefined if it is not on the staff
 */
export function staffOf(wallet: string, row: StaffRow | undefined, named: ReadonlySet<string>): Staff | undefined {
  if (!row)
    return named.has(wallet) ? { wallet, name: null, scopes: [...allScopes], source: 'setting', addedAt: null, addedBy: null } : undefined
  if (row.removedAt) return undefined
  return { wallet, name: row.name, scopes: row.scopes, source: 'call', addedAt: row.setAt.toISOString(), addedBy: row.setBy }
}

/**
 * Nobody gives what they do not have: neither a scope, nor credits without the daily limit of their key, nor a time beyond its expiry, since
 * the staff has neither limit nor expiry.
 * @throws STAFF_TOO_POWERFUL
 */
export function requireNoMoreThan(maker: StudioKey, wish: StaffWish): void {
  const beyond = wish.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (beyond.length > 0) throw new Failure('STAFF_TOO_POWERFUL', { detail: `the scope ${beyond.join(', ')} is missing.` })
  if (maker.expiresAt !== null) throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key expires, and the staff does not.' })
  if (maker.dailyCreditLimit !== null && wish.scopes.includes('credit')) {
    throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key has a daily limit, and the staff credits without one.' })
  }
}
