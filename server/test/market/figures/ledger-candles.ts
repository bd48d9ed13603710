import { lamportsToSol } from '@juicebar/contract/money'
import { type CandleStep } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'

import { type DatabaseConnection } from '../../../src/database/connect.ts'

/** An item of a settled purchase, as the ledger has it. */
export interface LedgerTrade {
  id: string
  tokenType: TokenType
  amount: bigint
  lamports: bigint
  micros: bigint
}

const MINUTE = 60_000_000n
export const stepMicros: Record<CandleStep, bigint> = { '5m': 5n * MINUTE, '1h': 60n * MINUTE, '1d': 1440n * MINUTE }

/** Every settled item whose payment the chain has kept, by the purchases and cases alone. */
export async function readLedgerTrades({ pool }: Pick<DatabaseConnection, 'pool'>): Promise<LedgerTrade[]> {
  const { rows } = await pool.query<LedgerTrade & { place: number }>(
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
export function candlesOf(trades: readonly LedgerTrade[], query: { tokenType: TokenType; step: CandleStep; from: number; to: number }) {
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
