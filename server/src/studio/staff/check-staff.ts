import { type WalletAddress } from '@juicebar/contract/addresses'

import { type Database } from '../../database/connect.ts'
import { type StaffLookup } from '../../http/api/staff-check.ts'
import { checkChallenge } from './check-challenge.ts'
import { readStaff } from './read-staff.ts'

/**
 * Finds the staff by their wallets, and checks what they sign. It asks the database each time, so that a removed wallet is refused at once,
 * everywhere.
 */
export function createStaffCheck(database: Database, named: ReadonlySet<WalletAddress>): StaffLookup {
  return {
    find: async (wallet) => {
      const staff = await readStaff(database, wallet, named)
      return staff ? { kind: 'staff', name: wallet, wallet, scopes: staff.scopes } : undefined
    },
    checkSignature: (signed) => checkChallenge(database, signed),
  }
}
