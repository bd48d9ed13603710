import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'

import { type Database } from '../../database/connect.ts'
import { staffOf } from './staff.ts'
import { findStaff, listStaff } from './staff-store.ts'

type Staff = Reply<'setStaff'>['staff']

/** What a wallet may do at the desk; null if it is not on the staff. */
export async function readStaff(database: Database, wallet: WalletAddress, named: ReadonlySet<WalletAddress>): Promise<Staff | null> {
  return staffOf(wallet, await findStaff(database, wallet), named) ?? null
}

/** The whole staff, by wallet. */
export async function readAllStaff(database: Database, named: ReadonlySet<WalletAddress>): Promise<Staff[]> {
  const rows = new Map((await listStaff(database, [...named])).map((row) => [row.walletAddress, row]))
  const wallets = [...new Set([...rows.keys(), ...named])].toSorted()
  return wallets.flatMap((wallet) => staffOf(wallet, rows.get(wallet), named) ?? [])
}
