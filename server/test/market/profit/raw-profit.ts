import { type DatabaseConnection } from '../../../src/database/connect.ts'
import { followLedger, type Books, type Movement, type Profit, profitOf } from '../../../src/market/profit/profit.ts'

interface RawMovement extends Movement {
  at: Date
  rank: number
  id: string
}

/** What a player has earned, by the purchases, cases and transfers alone, read in one go and put in order here. */
export async function readRawProfit({ pool }: Pick<DatabaseConnection, 'pool'>, wallet: string): Promise<Profit> {
  const { rows } = await pool.query<RawMovement>(
    `select case when p.buyer = $1 then 'bought' else 'sold' end as kind, i.token_type as "tokenType", i.amount::integer as amount,
       i.price_lamports as lamports, 0::bigint as "feeLamports", p.id in (select purchase_id from cases where kind = 'vanished') as "isUndone",
       p.settled_at as at, 1 as rank, p.id || ' ' || lpad(i.place::text, 2, '0') as id
     from purchases p join purchase_items i on i.purchase_id = p.id
     where p.status = 'settled' and p.fee_lamports = 0 and (p.buyer = $1 or i.seller = $1)
     union all
     select case kind when 'credit' then 'credited' else 'used' end, token_type, amount::integer, 0, 0, false, created_at, 0, lpad(id::text, 20, '0')
     from transfers where wallet_address = $1 and kind in ('credit', 'debit')`,
    [wallet],
  )
  const inOrder = rows.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.rank - b.rank || (a.id < b.id ? -1 : 1))
  const books: Books = new Map()
  followLedger(books, inOrder)
  return profitOf(books)
}
