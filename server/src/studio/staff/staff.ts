import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { type Scope, scopes as allScopes } from '@juicebar/contract/scopes'

import { type StudioKey } from '../../http/api/studio-key-check.ts'

type Staff = Reply<'setStaff'>['staff']

/** The requested changes for a wallet. */
export interface StaffWish {
  wallet: WalletAddress
  name: string | null
  scopes: readonly Scope[]
}

/** The latest change to a wallet by a call. */
export interface StaffRow {
  walletAddress: string
  name: string | null
  scopes: Scope[]
  setBy: string
  setAt: Date
  removedAt: Date | null
}

/**
 * What a wallet may do at the desk: the scopes from the latest call, otherwise everything if the setting names it.
 * @param row undefined if no call has changed it
 * @returns undefined if it is not on the staff
 */
export function staffOf(wallet: string, row: StaffRow | undefined, named: ReadonlySet<string>): Staff | undefined {
  if (!row)
    return named.has(wallet) ? { wallet, name: null, scopes: [...allScopes], source: 'setting', addedAt: null, addedBy: null } : undefined
  if (row.removedAt) return undefined
  return { wallet, name: row.name, scopes: row.scopes, source: 'call', addedAt: row.setAt.toISOString(), addedBy: row.setBy }
}

/**
 * Nobody can grant what they do not have: neither a scope, nor credits beyond the daily limit of their key, nor access beyond its expiry,
 * because staff have neither a limit nor an expiry.
 * @throws STAFF_TOO_POWERFUL
 */
export function requireNoMoreThan(maker: StudioKey, wish: StaffWish): void {
  const beyond = wish.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (beyond.length > 0) throw new Failure('STAFF_TOO_POWERFUL', { detail: `the scope ${beyond.join(', ')} is missing.` })
  if (maker.kind !== 'made') return
  if (maker.expiresAt !== null) throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key expires, and the staff does not.' })
  if (maker.dailyCreditLimit !== null && wish.scopes.includes('credit')) {
    throw new Failure('STAFF_TOO_POWERFUL', { detail: 'this key has a daily limit, and the staff credits without one.' })
  }
}
