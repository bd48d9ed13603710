import type pg from 'pg'

import { type Reads } from '../../database/connect.ts'
import { type TradePosition, type TradeRow } from './trade.ts'

/** The most sales that one page scans, including those whose payment the chain has undone. */
const SCAN_LIMIT = 1_000

/**
 * Whether a payment is a message that the market has reserved and signed, under whichever of its buyer's signatures. Not whether the purchase
 * was made so: its buyer may pay late without the market. A message begins behind the two signatures and their number.
 */
const IS_CO_SIGNED = `
      exists (
        select from payments paid join payments reserved on reserved.message_hash = sha256(substring(paid.transaction_bytes from 130))
        where paid.signature = numbered.signature
      )`

export interface TradesQuery {
  tokenType: string | undefined
  limit: number
  after: TradePosition | undefined
}

export interface TradesPage {
  trades: TradeRow[]
  /** Where the next page starts; undefined after the last. A page can be short and still have a next one. */
  next: TradePosition | undefined
}

/** A page of trades, the newest first. Following `next` neither skips nor repeats one. */
export async function readTrades(reads: Reads, query: TradesQuery): Promise<TradesPage> {
  const { rows } = await reads.query<TradeRow & { isKept: boolean }>(tradesStatement(query))
  const trades = rows.filter(({ isKept }) => isKept)
  if (trades.length > query.limit) return { trades: trades.slice(0, query.limit), next: trades[query.limit - 1] }
  const scanEnd = rows.at(-1)
  return { trades, next: scanEnd?.isKept === false ? scanEnd : undefined }
}

/**
 * One walk along an index, which ends at its limit however many rows are filtered out. Its last sale is returned even if it is not a trade.
 */
function tradesStatement({ tokenType, limit, after }: TradesQuery): pg.QueryConfig<unknown[]> {
  const values: unknown[] = [limit]
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`
  const ofToken = tokenType === undefined ? '' : `and s.token_type = ${parameter(tokenType, 'text')}`
  const afterCursor = after
    ? `and (trade_time(s.settled_at), s.purchase_id, s.place) < (${parameter(after.settledAt, 'timestamptz')}, ${parameter(after.purchaseId, 'uuid')}, ${parameter(after.place, 'smallint')})`
    : ''
  const text = `
    select purchase_id as "purchaseId", place, token_type as "tokenType", amount, price_lamports as "priceLamports",
      unit_lamports as "unitLamports", fee_lamports as "feeLamports", signature, settled_at as "settledAt", is_kept as "isKept",
      ${IS_CO_SIGNED} as "coSigned"
    from (
      select purchase_id, place, token_type, amount, price_lamports, unit_lamports(price_lamports, amount), fee_lamports, signature, settled_at,
        is_kept, row_number() over (order by settled_at desc, purchase_id desc, place desc) = ${SCAN_LIMIT} as is_scan_end
      from (
        select s.purchase_id, s.place, s.token_type, s.amount, s.price_lamports, s.fee_lamports, s.signature, trade_time(s.settled_at) as settled_at,
          coalesce((select false from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal limit 1), true) as is_kept
        from sales s
        where not s.is_reversal ${ofToken} ${afterCursor}
        order by trade_time(s.settled_at) desc, s.purchase_id desc, s.place desc
        limit ${SCAN_LIMIT}
      ) scanned
    ) numbered
    where is_kept or is_scan_end
    order by settled_at desc, purchase_id desc, place desc
    limit $1::int + 1`
  return { name: `trades${tokenType === undefined ? '' : ' of token'}${after ? ' after' : ''}`, text, values }
}
