import type pg from 'pg'

import { type Reads } from '../database/connect.ts'
import { type Candidate, type QuoteOrder } from './quote.ts'

/** The most listings to scan, including those that are held or too large to fit. */
const SCAN_LIMIT = 1_000

interface CandidateRow extends Omit<Candidate, 'amount' | 'whole'> {
  amount: bigint
  wholeAmount: bigint
  wholeLamports: bigint
}

/**
 * The cheapest listings, at most `most`, that a quote may use: for sale, not held, not the asker's own, and not indivisible and too large.
 */
export async function findCandidates(reads: Reads, order: QuoteOrder, most: number): Promise<Candidate[]> {
  const { rows } = await reads.query<CandidateRow>(candidatesStatement(order, most))
  return rows.map(({ amount, wholeAmount, wholeLamports, ...row }) => ({
    ...row,
    amount: Number(amount),
    whole: { amount: Number(wholeAmount), lamports: wholeLamports },
  }))
}

/** The inner query is a walk along one index that ends at its limit, however many rows the outer query filters out. */
function candidatesStatement({ tokenType, amount, excludeSeller }: QuoteOrder, most: number): pg.QueryConfig<unknown[]> {
  const text = `
    select id as "listingId", seller, amount, price_lamports as lamports, divisible,
      coalesce(whole_amount, amount) as "wholeAmount", coalesce(whole_lamports, price_lamports) as "wholeLamports"
    from (
      select l.id, l.seller, l.amount, l.price_lamports, l.unit_lamports, l.divisible, l.held_by, l.whole_amount, l.whole_lamports
      from listings l
      where l.status = 'active' and l.token_type = $1
      order by l.unit_lamports, l.id
      limit ${SCAN_LIMIT}
    ) cheapest
    where held_by is null and seller <> $2 and (divisible or amount <= $3)
      and seller <> all ((select frozen_sellers())::text[])
    order by unit_lamports, id
    limit ${most}`
  return { name: `quote ${most}`, text, values: [tokenType, excludeSeller ?? '', amount] }
}
