import { MAX_LEVELS } from '@juicebar/contract/limits'

import { type Reads } from '../../database/connect.ts'
import { type LevelRow } from './depth.ts'

/** The cheapest prices at which a token is for sale now: listings that are not held, of sellers who are not frozen. */
export async function readLevels(reads: Reads, tokenType: string): Promise<LevelRow[]> {
  const { rows } = await reads.query<LevelRow>({
    name: 'depth',
    text: `
      select unit_lamports as "unitLamports", sum(amount)::bigint as amount, count(*) as listings, sum(sum(amount)) over () as total
      from (
        select unit_lamports(l.price_lamports, l.amount), l.amount
        from listings l
        where l.status = 'active' and l.token_type = $1 and l.held_by is null and l.seller <> all ((select frozen_sellers())::text[])
      ) offers
      group by unit_lamports order by unit_lamports limit ${MAX_LEVELS}`,
    values: [tokenType],
  })
  return rows
}
