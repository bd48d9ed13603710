import { sql } from 'kysely'
import { type Audit } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type LedgerFinding } from './audit.ts'

/**
 * The sales of each token in each 5-minute step, according to the purchases themselves: neither the order of sales nor the figures rolled
 * up from it are trusted. Sales that are still waiting there, in this same snapshot, are not expected in the candles yet.
 */
const derived = sql`
  with ahead as (
    select purchase_id, i.place, s.is_reversal from sales_to_stamp s join purchase_items i using (purchase_id)
    union select purchase_id, place, is_reversal from sales where ordinal > (select ordinal from candles_head)
  ), sold as (
    select i.token_type, candle_start('5m', p.settled_at) as start, trade_time(p.settled_at) as at, p.id, i.place, i.amount, i.price_lamports,
      unit_lamports(i.price_lamports, i.amount)
    from purchases p join purchase_items i on i.purchase_id = p.id
    where p.status = 'settled' and not exists (select from ahead a where a.purchase_id = p.id and a.place = i.place and not a.is_reversal)
      and (
        not exists (select from cases c where c.purchase_id = p.id and c.kind = 'vanished')
        or exists (select from ahead a where a.purchase_id = p.id and a.place = i.place and a.is_reversal)
      )
  ), expected as (
    select token_type, start, (array_agg(unit_lamports order by at, id, place))[1] as open, max(unit_lamports) as high, min(unit_lamports) as low,
      (array_agg(unit_lamports order by at desc, id desc, place desc))[1] as close, sum(amount) as amount, sum(price_lamports) as lamports,
      count(*) as trades
    from sold group by token_type, start
  )`

/** The candles of a longer step, by those of the shortest. */
const summed = (step: string) => sql`
  with expected as (
    select token_type, candle_start(${step}, c.start) as start, (array_agg(open order by c.start))[1] as open, max(high) as high, min(low) as low,
      (array_agg(close order by c.start desc))[1] as close, sum(amount) as amount, sum(lamports) as lamports, sum(trades) as trades
    from candles c where step = '5m' group by 1, 2
  )`

const figures = (row: string) =>
  sql.raw(
    `(${['open', 'high', 'low', 'close', 'amount', 'lamports', 'trades'].map((column) => `coalesce(${row}.${column}, -1)`).join(', ')})`,
  )

const differences = (expected: typeof derived, step: string) => sql<{ detail: string }>`
  ${expected}
  select 'the ' || ${step} || ' candle of ' || token_type || ' at ' || json_time(start) || ' is not what was sold' as detail
  from expected e full join (
    select token_type, start, open, high, low, close, amount, lamports, trades from candles where step = ${step}
  ) c using (token_type, start)
  where ${figures('e')} <> ${figures('c')}
  order by start, token_type limit 20`

/** Each finds candles that differ from the ledger; `detail` names one. */
const candleChecks = [differences(derived, '5m'), differences(summed('1h'), '1h'), differences(summed('1d'), '1d')].map((query) => ({
  invariant: 'I6',
  query,
}))

type Violation = Audit['violations'][number]

interface TokenTotals {
  tokenType: TokenType
  credited: bigint
  debited: bigint
  inWallets: bigint
  inListings: bigint
}

/** Invariant I1 for each token, in one snapshot: tokens in wallets and listings equal credits less debits. */
export async function readTokenTotals(database: Database | Tx): Promise<Audit['tokens']> {
  const { rows } = await sql<TokenTotals>`
    select t.token_type, coalesce(o.credited, 0)::bigint as credited, coalesce(o.debited, 0)::bigint as debited,
      coalesce(w.amount, 0)::bigint as in_wallets, coalesce(l.amount, 0)::bigint as in_listings
    from token_types t
    left join (
      select token_type, sum(amount) filter (where kind = 'credit') as credited, sum(amount) filter (where kind = 'debit') as debited
      from transfers where kind in ('credit', 'debit') group by token_type
    ) o using (token_type)
    left join (select token_type, sum(amount) as amount from balances group by token_type) w using (token_type)
    left join (
      select token_type, sum(amount) as amount from listings where status in ('active', 'reserved') group by token_type
    ) l using (token_type)
    order by t.token_type
  `.execute(database)
  return rows.map(({ tokenType, credited, debited, inWallets, inListings }) => ({
    tokenType,
    credited: Number(credited),
    debited: Number(debited),
    inWallets: Number(inWallets),
    inListings: Number(inListings),
    balanced: inWallets + inListings === credited - debited,
  }))
}

async function countPurchases(database: Database | Tx) {
  const { rows } = await sql<LedgerFinding['purchases']>`
    select count(*) filter (where status = 'held')::int as held,
      count(*) filter (where status = 'settled')::int as settled,
      count(*) filter (where status = 'ended')::int as ended,
      (select count(*)::int from cases where status in ('open', 'refunding')) as open_cases,
      coalesce(sum(fee_lamports) filter (where status = 'settled' and not exists (
        select from cases c where c.purchase_id = p.id and c.kind = 'vanished'
      )), 0)::text as revenue
    from purchases p
  `.execute(database)
  return rows[0] ?? { held: 0, settled: 0, ended: 0, openCases: 0, revenue: '0' }
}

/** Each query finds rows that break an invariant; `detail` describes one of them. */
const checks: { invariant: string; query: ReturnType<typeof sql<{ detail: string }>> }[] = [
  {
    invariant: 'I1',
    query: sql`
      select b.wallet_address || ' holds ' || b.amount || ' ' || b.token_type || ', but its ledger entries sum to ' || coalesce(e.amount, 0) as detail
      from balances b
      left join (select account, token_type, sum(amount) as amount from ledger_entries group by account, token_type) e
        on e.account = 'wallet:' || b.wallet_address and e.token_type = b.token_type
      where b.amount <> coalesce(e.amount, 0) limit 20`,
  },
  {
    invariant: 'I1',
    query: sql`
      select 'listing ' || l.id || ' (' || l.status || ') has ' || coalesce(e.amount, 0) || ' tokens in escrow' as detail
      from listings l
      left join (select account, sum(amount) as amount from ledger_entries group by account) e on e.account = 'listing:' || l.id
      where coalesce(e.amount, 0) <> case when l.status in ('active', 'reserved') then l.amount else 0 end limit 20`,
  },
  {
    invariant: 'I2',
    query: sql`
      select 'listing ' || l.id || ' (' || l.status || ') does not match its settled purchases' as detail
      from listings l
      where (l.status = 'sold') <> (1 = (
        select count(*) from purchase_items i join purchases p on p.id = i.purchase_id where i.listing_id = l.id and p.status = 'settled'
      )) limit 20`,
  },
  {
    invariant: 'I2',
    query: sql`
      select 'purchase ' || p.id || ' delivered ' || coalesce(d.amount, 0) || ' tokens of ' || a.amount as detail
      from purchases p
      cross join lateral (select sum(amount) as amount, array_agg(listing_id) as ids from purchase_items where purchase_id = p.id) a
      left join lateral (
        select sum(amount) as amount from transfers t where t.kind = 'sale' and t.wallet_address = p.buyer and t.listing_id = any (a.ids)
      ) d on true
      where p.status = 'settled' and d.amount is distinct from a.amount limit 20`,
  },
  {
    invariant: 'I2',
    query: sql`
      select 'the rest and the parts of listing ' || l.id || ' do not add up to what was listed' as detail
      from listings l
      cross join lateral (
        select coalesce(sum(amount), 0) as amount, coalesce(sum(price_lamports), 0) as lamports, count(*) as count,
          count(priced_lamports) as repriced
        from listings part where part.part_of = l.id and part.status <> 'merged'
      ) parts
      where l.whole_amount is not null and (
        l.whole_amount <> l.amount + parts.amount
        -- Each part is rounded up by less than a lamport, and so is the rest; before 0.3.0 it was what the parts left.
        -- A part keeps its price if that of the listing changes, and the other way round.
        or l.priced_lamports is null and parts.repriced = 0 and l.price_lamports + parts.lamports not between l.whole_lamports and l.whole_lamports + parts.count
      )
      limit 20`,
  },
  {
    invariant: 'I2',
    query: sql`
      select 'listing ' || l.id || ' does not cost what its seller last asked for' as detail
      from listings l where l.priced_lamports is not null and l.price_lamports <> share_cost(l, l.amount) limit 20`,
  },
  {
    invariant: 'I3',
    query: sql`
      select 'purchase ' || p.id || ' has no settled payment of its own' as detail
      from purchases p
      left join payments m on m.signature = p.signature and m.purchase_id = p.id and m.kind = 'purchase' and m.status = 'settled'
      where p.status = 'settled' and m.signature is null limit 20`,
  },
  {
    invariant: 'I4',
    query: sql`
      select 'listing ' || l.id || ' does not match its open purchase' as detail
      from listings l
      left join (purchase_items i join purchases p on p.id = i.purchase_id and p.status = 'held') on i.listing_id = l.id
      where l.held_by is distinct from p.id limit 20`,
  },
  {
    invariant: 'I5',
    query: sql`select wallet_address || ' holds ' || amount || ' ' || token_type as detail from balances where amount < 0 limit 20`,
  },
  {
    invariant: 'I7',
    // A completed one may have a second delivery: a payment in time for a hold that had ended counts as well.
    query: sql`
      select 'checkout ' || c.id || ' (' || c.status || ') does not match its purchases' as detail
      from checkouts c
      cross join lateral (
        select count(*) filter (where p.status = 'held') as held, count(*) filter (where p.status = 'settled') as settled,
          count(*) filter (where p.status = 'settled' and p.id = c.purchase_id and (
            select sum(i.amount) = c.amount and bool_and(i.token_type = c.token_type) from purchase_items i where i.purchase_id = p.id
          )) as exact
        from purchases p where p.checkout_id = c.id
      ) of
      where of.held > 1 or case when c.status = 'completed' then of.exact <> 1 else of.settled > 0 end limit 20`,
  },
  ...candleChecks,
]

/** Runs every check. Each reports at most 20 violations. */
export async function findViolations(database: Database | Tx): Promise<Violation[]> {
  const found: Violation[] = []
  for (const { invariant, query } of checks) {
    const { rows } = await query.execute(database)
    found.push(...rows.map(({ detail }) => ({ invariant, detail })))
  }
  return found
}

/** How long one check may take, in a market of many millions of rows. */
const CHECK_MINUTES = 10

/**
 * Checks the whole ledger. That of a large market may take longer than any other statement.
 * @param signal ends it: then it rejects
 */
export async function readLedger(database: Database, signal = new AbortController().signal): Promise<LedgerFinding> {
  // The database ends a check first, also if its server is gone.
  const patient = database.patient((CHECK_MINUTES + 1) * 60_000)
  const patiently = <T>(read: (tx: Tx) => Promise<T>) =>
    patient.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(`${CHECK_MINUTES}min`)}`.execute(tx)
      await sql`set local client_connection_check_interval = '5s'`.execute(tx)
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      // Should this fail, the database ends the check in the end.
      const cancel = () => void sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(database).catch(() => undefined)
      signal.addEventListener('abort', cancel)
      try {
        signal.throwIfAborted()
        return await read(tx)
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    })
  return {
    tokens: await patiently(readTokenTotals),
    purchases: await patiently(countPurchases),
    violations: await patiently(findViolations),
  }
}
