import { type WalletAddress } from '@juicebar/contract/addresses'
import { type DatabaseConnection } from '../database/connect.ts'
import { RequestBatch } from '../runtime/request-batch.ts'
import { readLastOrdinal, stampSales } from './figure-store.ts'
import { readEntries } from './profit-store.ts'
import { type EntryPosition, type Books, followLedger, type Profit, profitOf } from './profit.ts'

/** Entries that one statement reads. Nearly every player has fewer. */
const PAGE = 2_000
/** Long ledgers may take at most this share of the time, but wait no longer than that. */
const PAUSES = 4
const MAX_PAUSE_MILLIS = 5_000

/** What a player has earned, including everything settled before the call. */
export type ReadProfit = (wallet: WalletAddress) => Promise<Profit>

/**
 * Creates a server's reader. A ledger is read from its start each time, because a payment that the chain has undone changes everything
 * after it. Long ledgers are read page by page, so that no snapshot is held longer than a page takes, and one after another with pauses in
 * between, so that nobody else has to wait for them; concurrent callers share the answer.
 */
export function createProfits({ database, readPool }: Pick<DatabaseConnection, 'database' | 'readPool'>, page = PAGE): ReadProfit {
  const readPage = async (books: Books, wallet: WalletAddress, after?: EntryPosition, upTo?: bigint) => {
    const { entries, next } = await readEntries(readPool, { wallet, limit: page, after, upTo })
    followLedger(books, entries)
    return next
  }
  let took = 0
  const readLong = async (wallets: readonly WalletAddress[]) => {
    const startedAt = performance.now()
    const profits = new Map<WalletAddress, Profit>()
    for (const wallet of wallets) {
      const books: Books = new Map()
      const upTo = await readLastOrdinal(readPool)
      for (let next = await readPage(books, wallet, undefined, upTo); next; next = await readPage(books, wallet, next, upTo));
      profits.set(wallet, profitOf(books))
    }
    took = performance.now() - startedAt
    return profits
  }
  const long = new RequestBatch(readLong, { pauseMillis: () => Math.min(MAX_PAUSE_MILLIS, (1 + PAUSES) * took) })

  return async (wallet) => {
    await stampSales(database)
    const books: Books = new Map()
    const next = await readPage(books, wallet)
    if (!next) return profitOf(books)
    const profit = (await long.ask([wallet])).get(wallet)
    if (!profit) throw new Error('a profit was asked for and not read')
    return profit
  }
}
