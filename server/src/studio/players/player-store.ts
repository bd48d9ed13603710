import { type WalletAddress } from '@juicebar/contract/addresses'
import { balanceKey, type Balances, type TokenType } from '@juicebar/contract/token-types'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'

export interface PlayerActivity {
  /** Null if the wallet never signed in. */
  createdAt: Date | null
  listed: Balances
  openPurchases: number
  openCases: number
}

type ActivityRow = Omit<PlayerActivity, 'listed'> & { listed: Partial<Record<TokenType, number>> | null }

/** What a wallet has listed, holds and argues about, in one statement. */
export async function readActivity(database: Database, wallet: WalletAddress): Promise<PlayerActivity> {
  const { rows } = await sql<ActivityRow>`
    select (select created_at from players where wallet_address = ${wallet}) as created_at,
      (select json_object_agg(token_type, amount) from (
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
  const listed: Balances = { appleJuice: 0, orangeJuice: 0, grapeSoda: 0 }
  for (const [tokenType, amount] of Object.entries(row.listed ?? {})) listed[balanceKey(tokenType as TokenType)] = amount
  return { ...row, listed }
}
