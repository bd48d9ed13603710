import { candleSteps } from '@juicebar/contract/schemas/figures/figure-calls'
import { type Reply } from '@juicebar/contract/calls'
import { LAMPORTS_PER_SOL, lamportsToSol, solToLamports } from '@juicebar/contract/money'
import { type CandleStep, type Listing } from '@juicebar/contract/schemas'
import { isDeepStrictEqual } from 'node:util'

import { type ProductRecord } from '../product-record.ts'

export type Trade = Reply<'trades'>['trades'][number]
type Candle = Reply<'candles'>['candles'][number]
type SummaryItem = Reply<'summary'>['items'][number]

/** What a server tells everybody about the market. Candles are found by `token step`, depths by token. */
export interface FiguresSeen {
  /** The newest first. */
  trades: readonly Trade[]
  listings: readonly Listing[]
  candles: ReadonlyMap<string, readonly Candle[]>
  depths: ReadonlyMap<string, Reply<'depth'>>
  summary: readonly SummaryItem[]
}

const DAY_MILLIS = 86_400_000
const stepMillis: Record<CandleStep, number> = { '5m': 300_000, '1h': 3_600_000, '1d': DAY_MILLIS }

/**
 * The trades are all that was sold and whose payment the chain has kept; candles, depths and summary are what anybody computes from the
 * trades and the listings, who knows nothing of the server's code.
 * @returns a sentence for every kind of violation
 */
export function checkFigures(seen: FiguresSeen, product: ProductRecord, now: number): string[] {
  return [
    ...differ('the trades', seen.trades.map(tradeText).toSorted(), expectedTrades(product)),
    ...[...seen.candles].flatMap(([key, candles]) => differ(`the candles of ${key}`, candles, candlesOf(seen.trades, key))),
    ...[...seen.depths].flatMap(([token, depth]) => differ(`the depth of ${token}`, depth, depthOf(seen.listings, token))),
    ...seen.summary.flatMap((item) => differ(`the summary of ${item.tokenType}`, item, summaryOf(seen, item.tokenType, now))),
  ]
}

function differ(what: string, seen: unknown, expected: unknown): string[] {
  return isDeepStrictEqual(seen, expected) ? [] : [`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`]
}

type TradeTold = Pick<Trade, 'id' | 'amount' | 'price' | 'lamports' | 'signature' | 'settledAt'> & { tokenType: string }

function tradeText({ id, tokenType, amount, price, lamports, signature, settledAt }: TradeTold) {
  return `${id}: ${amount} ${tokenType} for ${price} SOL (${lamports}), paid by ${signature}, delivered at ${settledAt}`
}

function expectedTrades({ purchases, cases }: ProductRecord): string[] {
  const undone = new Set([...cases.values()].filter(({ kind }) => kind === 'vanished').map(({ purchaseId }) => purchaseId))
  const sold = [...purchases.values()].filter(({ status, purchaseId }) => status === 'settled' && !undone.has(purchaseId))
  return sold
    .flatMap(({ purchaseId, items, signature, settledAt }) =>
      items.map(({ tokenType, amount, lamports }, index) => {
        const id = `${purchaseId}.${String(index + 1).padStart(2, '0')}`
        const price = lamportsToSol(BigInt(lamports))
        return tradeText({ id, tokenType, amount, price, lamports, signature: signature ?? '', settledAt: settledAt ?? '' })
      }),
    )
    .toSorted()
}

function candlesOf(trades: readonly Trade[], key: string): Candle[] {
  const [token, step] = key.split(' ')
  const length = stepMillis[candleSteps.find((known) => known === step) ?? '1d']
  const startOf = ({ settledAt }: Trade) => new Date(Math.floor(Date.parse(settledAt) / length) * length).toISOString()
  const oldestFirst = trades.filter(({ tokenType }) => tokenType === token).toReversed()
  return [...groupBy(oldestFirst, startOf)].map(([start, inside]) => candleOf(start, inside))
}

function candleOf(start: string, inside: readonly Trade[]): Candle {
  const prices = inside.map(unitLamports)
  const paid = sum(inside.map(priceLamports))
  const amount = inside.reduce((total, trade) => total + trade.amount, 0)
  const inOrder = prices.toSorted(ascending)
  return {
    start,
    open: sol(prices[0]),
    high: sol(inOrder.at(-1)),
    low: sol(inOrder[0]),
    close: sol(prices.at(-1)),
    amount,
    sol: sol(paid),
    trades: inside.length,
    average: sol(each(paid, amount)),
  }
}

function depthOf(listings: readonly Listing[], token: string): Reply<'depth'> {
  const levels = [...groupBy(forSale(listings, token), unitLamports)]
    .toSorted(([a], [b]) => ascending(a, b))
    .map(([price, inside]) => ({ unitPrice: sol(price), lamports: String(price), amount: amountOf(inside), listings: inside.length }))
  return { levels, floor: levels[0]?.unitPrice ?? null, amount: amountOf(forSale(listings, token)) }
}

function summaryOf({ trades, listings }: FiguresSeen, token: SummaryItem['tokenType'], now: number): SummaryItem {
  const own = trades.filter(({ tokenType }) => tokenType === token)
  const isOld = ({ settledAt }: Trade) => Date.parse(settledAt) <= now - DAY_MILLIS
  const [last, before] = [own[0], own.find(isOld)].map((trade) => (trade ? unitLamports(trade) : undefined))
  const { floor, amount } = depthOf(listings, token)
  return {
    tokenType: token,
    floor,
    last: last === undefined ? null : sol(last),
    change24h: last === undefined || before === undefined ? null : Number(last - before) / Number(before),
    volume24h: sol(sum(own.filter((trade) => !isOld(trade)).map(priceLamports))),
    amount,
  }
}

function groupBy<Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

function forSale(listings: readonly Listing[], token: string): Listing[] {
  return listings.filter(({ tokenType, heldUntil }) => tokenType === token && heldUntil === null)
}

const amountOf = (listings: readonly Listing[]) => listings.reduce((total, { amount }) => total + amount, 0)
const priceLamports = ({ price }: { price: number }): bigint => solToLamports(price) ?? BigInt(Math.round(price * Number(LAMPORTS_PER_SOL)))
const each = (paid: bigint, amount: number): bigint => (2n * paid + BigInt(amount)) / (2n * BigInt(amount))
const unitLamports = (sold: { price: number; amount: number }): bigint => each(priceLamports(sold), sold.amount)
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)
const sol = (lamports: bigint | undefined): number => lamportsToSol(lamports ?? 0n)
const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
