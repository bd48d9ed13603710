import { type WalletAddress } from '@juicebar/contract/addresses'
import { type LedgerKind } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Reads } from '../database/connect.ts'
import { type EntryPosition, type LedgerEntry } from './profit.ts'

export interface EntriesQuery {
  wallet: WalletAddress
  limit: number
  /** If undefined, begins with the first one. */
  after: EntryPosition | undefined
  /** No sale after this place in the order of sales; all if undefined. */
  upTo?: bigint | undefined
}

export interface EntriesPage {
  entries: LedgerEntry[]
  /** Where the next page starts; undefined after the last. */
  next: EntryPosition | undefined
}

type EntryRow = Omit<LedgerEntry, 'position' | 'amount'> & {
  at: Date
  purchaseId: string | null
  place: number | null
  orderId: bigint | null
  kind: LedgerKind
  tokenType: TokenType
  amount: bigint
}

/** A page of everything that a player received and gave, oldest first. Within a millisecond, the studio's orders come first. */
export async function readEntries(reads: Reads, { wallet, limit, after, upTo }: EntriesQuery): Promise<EntriesPage> {
  const values = [wallet, limit + 1, ...boundsOf(after), upTo ?? LAST_BIGINT]
  const { rows } = await reads.query<EntryRow>({ name: 'ledger of a player', text: entriesSql, values })
  const entries = rows.slice(0, limit).map(readRow)
  return { entries, next: rows.length > limit ? entries.at(-1)?.position : undefined }
}

/** The highest number, so that no order of the same millisecond follows a sale. */
const LAST_BIGINT = 9_223_372_036_854_775_807n
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** The time, and which entries at that time are before the page: sales up to an item of a purchase, orders up to a number. */
function boundsOf(after: EntryPosition | undefined): [at: Date, purchaseId: string, place: number, orderId: bigint] {
  if (!after) return [new Date(0), BEFORE_ALL, 0, 0n]
  if (after.orderId !== null) return [after.at, BEFORE_ALL, 0, after.orderId]
  return [after.at, after.purchaseId, after.place, LAST_BIGINT]
}

function readRow({ at, purchaseId, place, orderId, amount, ...row }: EntryRow): LedgerEntry {
  const position =
    orderId === null ? { at, purchaseId: purchaseId ?? '', place: place ?? 0, orderId } : { at, purchaseId: null, place: null, orderId }
  return { position, ...row, amount: Number(amount) }
}

/**
 * A side of the sales. The walk is also ordered by the wallet, so that only the index that begins with it fits: with few traders, the
 * planner would prefer to scan all sales until enough of them are the wallet's, which may never happen.
 */
function salesSql(side: { kind: LedgerKind; wallet: 'buyer' | 'seller'; other: 'buyer' | 'seller'; fee: string }): string {
  return `
    (select trade_time(s.settled_at) as at, 1 as rank, s.purchase_id, s.place, null::bigint as order_id, '${side.kind}' as kind, s.token_type,
      s.amount, s.price_lamports, ${side.fee} as fee_lamports, s.signature, s.${side.other} as counterparty,
      coalesce((select true from sales undone where undone.purchase_id = s.purchase_id and undone.is_reversal limit 1), false) as is_undone
    from sales s
    where not s.is_reversal and s.${side.wallet} <= $1::text and s.ordinal <= $7::bigint
      and (s.${side.wallet}, trade_time(s.settled_at), s.purchase_id, s.place) > ($1::text, $3::timestamptz, $4::uuid, $5::smallint)
    order by s.${side.wallet}, trade_time(s.settled_at), s.purchase_id, s.place limit $2::int)`
}

/** Each part is a walk along an index that ends at the limit. */
const entriesSql = `
  select at, purchase_id as "purchaseId", place, order_id as "orderId", kind, token_type as "tokenType", amount, is_undone as "isUndone",
    case when is_undone then 0 else price_lamports end as lamports, case when is_undone then 0 else fee_lamports end as "feeLamports",
    signature, counterparty
  from (
    ${salesSql({ kind: 'bought', wallet: 'buyer', other: 'seller', fee: 's.fee_lamports' })}
    union all
    ${salesSql({ kind: 'sold', wallet: 'seller', other: 'buyer', fee: '0::bigint' })}
    union all
    (select trade_time(t.created_at), 0, null::uuid, null::smallint, t.id, case t.kind when 'credit' then 'credited' else 'used' end,
      t.token_type, t.amount, 0::bigint, 0::bigint, null::text, null::text, false
    from transfers t
    where t.kind in ('credit', 'debit') and t.wallet_address <= $1::text
      and (t.wallet_address, trade_time(t.created_at), t.id) > ($1::text, $3::timestamptz, $6::bigint)
    order by t.wallet_address, trade_time(t.created_at), t.id limit $2::int)
  ) known
  order by at, rank, purchase_id, place, order_id limit $2::int`
