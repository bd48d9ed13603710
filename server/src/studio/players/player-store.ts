import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type TokenAmount } from '../../catalogue/balances.ts'
import { type Database } from '../../database/connect.ts'

export interface PlayerActivity {
  /** Null if the wallet never signed in. */
  createdAt: Date | null
  /** Its drinks in listings, including those that buyers hold. */
  listed: readonly TokenAmount[]
  openPurchases: number
  openCases: number
}

/** A wallet's listings, open purchases and open cases, in one statement. */
export async function readActivity(database: Database, wallet: WalletAddress): Promise<PlayerActivity> {
  const { rows } = await sql<PlayerActivity>`
    select (select created_at from players where wallet_address = ${wallet}) as created_at,
      (select coalesce(json_agg(json_build_object('tokenType', token_type, 'amount', amount)), '[]') from (
        select token_type, sum(amount) as amount from listings where seller = ${wallet} and status in ('active', 'reserved') group by token_type
      ) l) as listed,
      (select count(*) from purchases where buyer = ${wallet} and status = 'held')::integer as open_purchases,
      (select count(*) from (
        select id from cases where seller = ${wallet} and status in ('open', 'refunding')
        union select c.id from purchases p join cases c on c.purchase_id = p.id where p.buyer = ${wallet} and c.status in ('open', 'refunding')
        union select id from cases where buyer = ${wallet} and status in ('open', 'refunding')
      ) c)::integer as open_cases
  `.execute(database)
  const [row] = rows
  if (!row) throw new Error('a select without a table returned no row')
  return row
}
