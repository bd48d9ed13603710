import { type MarketWorld } from '../market-world.ts'

export interface SaleToAdd {
  tokenType?: string
  amount?: number
  lamports?: number
  at: string
  purchaseId?: string
  place?: number
  reverses?: boolean
}

/** Adds sales as if purchases had been settled, in the order given. Returns the trades' ids. */
export async function addSales({ pool }: Pick<MarketWorld, 'pool'>, sales: readonly SaleToAdd[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with head as (update sales_head set ordinal = ordinal + cardinality($1::text[]) returning ordinal - cardinality($1::text[]) as before)
     insert into sales (ordinal, stamped_at, purchase_id, place, is_reversal, listing_id, buyer, seller, token_type, amount, price_lamports,
       fee_lamports, fee_basis_points, signature, settled_at)
     select head.before + n, now(), coalesce(purchase_id, gen_random_uuid()), place, is_reversal, gen_random_uuid(), 'buyer', 'seller', token_type,
       amount, lamports, 0, 0, 'signature of ' || head.before + n, at
     from head, unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::uuid[], $6::smallint[], $7::boolean[]) with ordinality
       sale (token_type, amount, lamports, at, purchase_id, place, is_reversal, n)
     returning purchase_id || '.' || lpad(place::text, 2, '0') as id`,
    [
      sales.map(({ tokenType = 'APPLE_JUICE' }) => tokenType),
      sales.map(({ amount = 1 }) => amount),
      sales.map(({ lamports = 1_000_000 }) => lamports),
      sales.map(({ at }) => at),
      sales.map(({ purchaseId }) => purchaseId),
      sales.map(({ place = 1 }) => place),
      sales.map(({ reverses = false }) => reverses),
    ],
  )
  return rows.map(({ id }) => id)
}
