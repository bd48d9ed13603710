import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Tx } from '../database/transact.ts'

/** Tells the wallet's open pages that its tokens changed, when the transaction commits. */
export async function emitBalanceChanged(tx: Tx, wallet: WalletAddress): Promise<void> {
  await sql`select emit_balance(${wallet})`.execute(tx)
}
