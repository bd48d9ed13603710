import { type WalletAddress } from '@juicebar/contract/addresses'
import { candleSteps } from '@juicebar/contract/schemas/figures/figure-calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { lamportsToSol } from '@juicebar/contract/money'
import { type CandleStep } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../../src/database/connect.ts'
import { createFigures } from '../../../src/market/create-figures.ts'
import { rollUpSales } from '../../../src/market/figure-store.ts'
import { type Books, followLedger, type Movement, type Profit, profitOf } from '../../../src/market/profit.ts'
import { createProfits } from '../../../src/market/read-profit.ts'
import { findViolations } from '../../../src/studio/audit/ledger-check-store.ts'
import { addPlayer, lapseInStore, newSignature, offer, openStoreMarket, type StoreMarket } from '../../purchases/baskets/store-market.ts'
import { heldPurchase } from '../../studio/sales/sale-market.ts'

const numRuns = inject('propertyRuns')
const BUYERS = 4
const tokens = ['APPLE_JUICE', 'ORANGE_JUICE'] as const satisfies TokenType[]

/** Edges of steps of every length, both sides of them, and times that replies show alike. */
const times = [
  '2030-03-30T23:54:59.999999Z',
  '2030-03-30T23:55:00Z',
  '2030-03-30T23:59:59.999Z',
  '2030-03-30T23:59:59.999999Z',
  '2030-03-31T00:00:00Z',
  '2030-03-31T00:00:00.000001Z',
  '2030-03-31T00:00:00.000999Z',
  '2030-03-31T00:59:59.999999Z',
  '2030-03-31T01:00:00Z',
  '2030-03-31T18:14:59Z',
  '2030-03-31T18:15:00Z',
  '2030-04-02T12:00:00Z',
]

/** A player buys some of these at a time. `amount` of `of` drinks are bought, all of them as a whole listing. */
interface Bought {
  token: number
  price: bigint
  of: number
  amount: number
}

const kind = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds)

const bought: fc.Arbitrary<Bought> = fc
  .record({ token: fc.nat(1), steps: fc.integer({ min: 1, max: 50 }), of: fc.integer({ min: 1, max: 60 }), part: fc.nat(59) })
  .map(({ token, steps, of, part }) => ({ token, price: BigInt(steps) * 1_000_000n, of, amount: 1 + (part % of) }))
const settlement = fc.record({
  kind: kind('settle'),
  items: fc.array(bought, { minLength: 1, maxLength: 3 }),
  time: fc.nat(times.length - 1),
  how: kind('now', 'now', 'late', 'committed later'),
})
const step = fc.oneof(
  { weight: 6, arbitrary: settlement },
  { weight: 1, arbitrary: fc.record({ kind: kind('commit') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('vanish'), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('roll up', 'roll up twice at once', 'audit') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('stamp', 'roll up a little', 'be killed'), limit: fc.integer({ min: 1, max: 3 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never
const histories = fc.array(step, { minLength: 4, maxLength: 14 })

/** The watermark stands between the items of one purchase, and then between their reversals. */
const rolledUpInPart: Step[] = [
  { kind: 'settle', items: [0, 1, 0].map((token) => ({ token, price: 3_000_000n, of: 5, amount: 5 })), time: 0, how: 'now' },
  { kind: 'stamp', limit: 1 },
  { kind: 'roll up a little', limit: 2 },
  { kind: 'audit' },
  { kind: 'roll up' },
  { kind: 'vanish', which: 0 },
  { kind: 'stamp', limit: 1 },
  { kind: 'roll up a little', limit: 1 },
  { kind: 'audit' },
]

const DAY = 86_400_000
const range = fc.record({
  tokenType: fc.constantFrom(...tokens),
  step: fc.constantFrom(...candleSteps),
  from: fc.integer({ min: Date.parse('2030-03-30T00:00:00Z'), max: Date.parse('2030-04-03T00:00:00Z') }),
  millis: fc.nat(2 * DAY),
})

let market: StoreMarket
let servers: DatabaseConnection[]
let later: pg.Client
let seller: WalletAddress
let buyers: WalletAddress[]
let waiting: WalletAddress

beforeAll(async () => {
  market = await openStoreMarket()
  // Steps are whole ones in UTC, whatever the database takes for local time.
  await market.connection.pool.query(
    `do $$ begin execute format('alter database %I set timezone to ''Asia/Kathmandu''', current_database()); end $$`,
  )
  servers = [1, 2].map(() => connectDatabase(market.databaseUrl, () => undefined))
  later = new pg.Client({ connectionString: market.databaseUrl })
  await later.connect()
  seller = await addPlayer(market, 900_000_000)
  buyers = await Promise.all(Array.from({ length: BUYERS }, () => addPlayer(market)))
  waiting = await addPlayer(market)
})
afterAll(async () => {
  await later.end()
  await Promise.all(servers.map((server) => server.close()))
  await market.close()
})

/** The transaction that is open on `later`, of a purchase that is settled in it. */
let uncommitted: string | undefined
const settled: string[] = []

async function hold(buyer: WalletAddress, items: readonly Bought[]): Promise<string> {
  const ordered = []
  for (const { token, price, of, amount } of items) {
    const listingId = await offer(market, seller, { amount: of, price, divisible: true, tokenType: tokens[token]! })
    ordered.push(amount === of ? { listingId } : { listingId, amount })
  }
  return heldPurchase(market, buyer, ordered)
}

/** One connection, on which statements make up a transaction. */
interface Session {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Delivers it in a transaction that commits after `end`, at a time of its own. */
async function settleAt(client: Session, id: string, time: string, end: string): Promise<void> {
  await client.query('begin')
  const { rows } = await client.query(`select outcome from settle_purchase($1, $2, 2, '', 9, true)`, [id, newSignature()])
  expect(rows).toEqual([{ outcome: 'settled' }])
  await client.query('update purchases set settled_at = $2 where id = $1', [id, time])
  if (end) await client.query(end)
}

async function commitLater(): Promise<void> {
  if (uncommitted === undefined) return
  await later.query('commit')
  settled.push(uncommitted)
  uncommitted = undefined
}

async function settle({ items, time, how }: Extract<Step, { kind: 'settle' }>, turn: number): Promise<void> {
  const at = times[time]!
  if (how === 'committed later') {
    await commitLater()
    uncommitted = await hold(waiting, items)
    return settleAt(later, uncommitted, at, '')
  }
  const id = await hold(how === 'late' ? await addPlayer(market) : buyers[turn % BUYERS]!, items)
  if (how === 'late') await lapseInStore(market, id)
  const client = await market.connection.pool.connect()
  await settleAt(client, id, at, 'commit').finally(() => client.release())
  settled.push(id)
}

async function vanish(which: number): Promise<void> {
  const id = settled[which % Math.max(1, settled.length)]
  if (id === undefined) return
  await market.connection.pool.query(
    `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
     select id, 'vanished', signature, $2, 1, false from purchases where id = $1 on conflict do nothing`,
    [id, seller],
  )
}

/** A server that is killed after it has rolled up, and before that is committed. */
async function beKilled(limit: number): Promise<void> {
  const client = new pg.Client({ connectionString: market.databaseUrl })
  const ended = new Promise<void>((resolve) => client.on('error', () => resolve()))
  await client.connect()
  await client.query('begin')
  await client.query('select stamp_sales($1)', [limit])
  await client.query('select roll_up_sales($1)', [limit])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await market.connection.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid])
  await ended
}

async function perform(step: Step, turn: number): Promise<unknown> {
  const { pool } = market.connection
  switch (step.kind) {
    case 'settle':
      return settle(step, turn)
    case 'commit':
      return commitLater()
    case 'vanish':
      return vanish(step.which)
    case 'stamp':
      return pool.query('select stamp_sales($1)', [step.limit])
    case 'roll up a little':
      return pool.query('select roll_up_sales($1)', [step.limit])
    case 'be killed':
      return beKilled(step.limit)
    case 'roll up':
      return rollUpSales(servers[0]!.database)
    case 'roll up twice at once':
      return Promise.all(servers.map((server) => rollUpSales(server.database)))
    case 'audit':
      return expectCandlesAddUp()
  }
}

/** An item of a settled purchase, as the ledger has it. */
interface LedgerTrade {
  id: string
  tokenType: TokenType
  amount: bigint
  lamports: bigint
  micros: bigint
}

const MINUTE = 60_000_000n
const stepMicros: Record<CandleStep, bigint> = { '5m': 5n * MINUTE, '1h': 60n * MINUTE, '1d': 1440n * MINUTE }

/** Every settled item whose payment the chain has kept, by the purchases and cases alone. */
async function readLedgerTrades(): Promise<LedgerTrade[]> {
  const { rows } = await market.connection.pool.query<LedgerTrade & { place: number }>(
    `select p.id, i.place, i.token_type as "tokenType", i.amount, i.price_lamports as lamports,
       (extract(epoch from p.settled_at) * 1000000)::bigint as micros
     from purchases p join purchase_items i on i.purchase_id = p.id
     where p.status = 'settled' and p.id not in (select purchase_id from cases where kind = 'vanished')`,
  )
  return rows
    .map(({ place, ...row }) => ({ ...row, id: `${row.id}.${String(place).padStart(2, '0')}` }))
    .toSorted((a, b) => (a.micros / 1_000n === b.micros / 1_000n ? (a.id < b.id ? -1 : 1) : a.micros < b.micros ? -1 : 1))
}

const rounded = (lamports: bigint, amount: bigint) => lamportsToSol((lamports + amount / 2n) / amount)
const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)

/** What `GET candles` must answer, computed from the trades in one go. `from` and `to` in milliseconds. */
function candlesOf(trades: readonly LedgerTrade[], query: { tokenType: TokenType; step: CandleStep; from: number; to: number }) {
  const length = stepMicros[query.step]
  const buckets = new Map<bigint, LedgerTrade[]>()
  for (const trade of trades) {
    const start = trade.micros - (trade.micros % length)
    if (trade.tokenType !== query.tokenType || start < BigInt(query.from) * 1_000n || start >= BigInt(query.to) * 1_000n) continue
    buckets.set(start, [...(buckets.get(start) ?? []), trade])
  }
  return [...buckets]
    .toSorted(([a], [b]) => Number(a - b))
    .map(([start, inside]) => {
      const prices = inside.map(({ lamports, amount }) => rounded(lamports, amount))
      const amount = total(inside.map((trade) => trade.amount))
      const lamports = total(inside.map((trade) => trade.lamports))
      return {
        start: new Date(Number(start / 1_000n)).toISOString(),
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1),
        amount: Number(amount),
        sol: lamportsToSol(lamports),
        trades: inside.length,
        average: rounded(lamports, amount),
      }
    })
}

interface RawMovement extends Movement {
  at: Date
  rank: number
  id: string
}

/** What a player has earned, by the purchases, cases and transfers alone, read in one go and put in order here. */
async function readRawProfit(wallet: string): Promise<Profit> {
  const { rows } = await market.connection.pool.query<RawMovement>(
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

async function expectCandlesAddUp(): Promise<void> {
  const violations = await findViolations(market.database)
  expect(violations.filter(({ invariant }) => invariant === 'I6')).toEqual([])
}

it(
  'whatever is sold, undone, late or killed, candles of any range and profits of all players are those of the ledger',
  { timeout: 60_000 + numRuns * 5_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.array(range, { minLength: 3, maxLength: 6 }), async (history, ranges) => {
        for (const [turn, step] of history.entries()) await perform(step, turn)
        await commitLater()
        const figures = createFigures(servers[1]!, defaultCatalogue)
        const trades = await readLedgerTrades()
        const [from, to] = [Date.parse('2030-03-30T20:00:00Z'), Date.parse('2030-03-31T20:00:00Z')]
        const asked = [
          ...ranges.map(({ millis, ...given }) => {
            const most = 500 * Number(stepMicros[given.step] / 1_000n)
            return { ...given, to: given.from + Math.min(millis, most) }
          }),
          ...tokens.flatMap((tokenType) => candleSteps.map((step) => ({ tokenType, step, from, to }))),
        ]
        for (const query of asked) {
          const reply = await figures.candles({ ...query, from: new Date(query.from), to: new Date(query.to) })
          expect(JSON.parse(reply)).toEqual({ candles: candlesOf(trades, query) })
        }
        await expectCandlesAddUp()
        const readProfit = createProfits(servers[0]!, 3)
        for (const wallet of [seller, ...buyers, waiting]) expect(await readProfit(wallet)).toEqual(await readRawProfit(wallet))
      }),
      { numRuns, endOnFailure: true, examples: [[rolledUpInPart, []]] },
    )
  },
)
