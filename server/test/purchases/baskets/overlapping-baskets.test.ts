import { type WalletAddress } from '@juicebar/contract/addresses'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { inTransaction } from '../../../src/database/transact.ts'
import { removeListing } from '../../../src/listings/change-listings.ts'
import { endHold } from '../../../src/purchases/hold/end-hold.ts'
import { type OrderedItem } from '../../../src/purchases/reservation/order.ts'
import { type HoldOutcome } from '../../../src/purchases/hold/place-hold.ts'
import { orderOf, outcomeOf, waiting } from '../trading-world.ts'
import {
  addPlayer,
  expectLedgerAddsUp,
  holdInStore,
  lapseInStore,
  offer,
  openStoreMarket,
  settleInStore,
  type StoreMarket,
} from './store-market.ts'

const SELLERS = 10
const BUYERS = 50
const TOKENS = 100_000

let market: StoreMarket
let sellers: WalletAddress[]
let buyers: WalletAddress[]

beforeAll(async () => {
  market = await openStoreMarket()
  sellers = await players(SELLERS)
  buyers = await players(BUYERS)
})

afterEach(() => expectLedgerAddsUp(market))

/** Whoever is in a deadlock is served by a repetition, so that nobody would notice; PostgreSQL counts them. */
afterAll(async () => {
  await market.connection.close()
  const admin = new pg.Client({ connectionString: inject('adminUrl') })
  await admin.connect()
  const name = new URL(market.databaseUrl).pathname.slice(1)
  const ask = async (sql: string) => (await admin.query<{ count: string }>(sql, [name])).rows[0]?.count
  // A connection reports what it counted when it ends.
  await vi.waitFor(async () => expect(await ask('select count(*) from pg_stat_activity where datname = $1')).toBe('0'), waiting)
  const deadlocks = await ask('select deadlocks as count from pg_stat_database where datname = $1')
  await admin.end()
  await market.drop()
  expect(deadlocks).toBe('0')
})

async function players(count: number): Promise<WalletAddress[]> {
  const all: WalletAddress[] = []
  for (let index = 0; index < count; index++) all.push(await addPlayer(market, TOKENS))
  return all
}

const hold = (address: WalletAddress, items: readonly OrderedItem[]) => holdInStore(market, orderOf({ address }, items))
const shuffled = <T>(items: readonly T[]) =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
const heldBy = (outcomes: readonly HoldOutcome[]) => outcomes.flatMap((outcome) => (outcome.kind === 'held' ? [outcome.hold] : []))

describe('at once', () => {
  it.each([
    ['whole listings', undefined, ['LISTING_HELD']],
    ['parts of listings', 50, ['AMOUNT_NOT_LEFT']],
  ])('50 buyers with overlapping baskets of %s each get all of theirs, or hear which item is gone', async (_, amount, codes) => {
    const listings: string[] = []
    for (let index = 0; index < 24; index++) listings.push(await offer(market, sellers[index % SELLERS]!, { amount: 120 }))
    const baskets = buyers.map(() => shuffled(listings).slice(0, 6))
    const outcomes = await Promise.all(
      buyers.map((buyer, index) =>
        hold(
          buyer,
          baskets[index]!.map((listingId) => ({ listingId, amount })),
        ),
      ),
    )

    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind === 'held') {
        expect(outcome.hold.items.map(({ listingId, partOf }) => partOf ?? listingId)).toEqual(baskets[index])
        continue
      }
      expect(codes).toContain(outcome.refusal.code)
      expect(baskets[index]).toContain(outcome.refusal.listingId)
    }
    const held = heldBy(outcomes)
    expect(held.length).toBeGreaterThan(0)
    const items = held.flatMap((each) => each.items.map(({ listingId }) => listingId))
    expect(new Set(items).size).toBe(items.length)
    const { rows } = await market.connection.pool.query<{ id: string }>('select id from listings where held_by is not null')
    expect(rows.map(({ id }) => id).toSorted()).toEqual(items.toSorted())
    await Promise.all(held.map(({ id }) => lapseInStore(market, id)))
  })

  it('baskets of two drinks are delivered to one buyer, whichever comes first', async () => {
    for (let round = 0; round < 10; round++) {
      const [buyer] = await players(1)
      const ids: string[] = []
      for (let index = 0; index < 3; index++) {
        const apple = { listingId: await offer(market, sellers[0]!, { price: BigInt(1 + index) * 1_000_000n, amount: 10 }) }
        const orange = { listingId: await offer(market, sellers[1]!, { tokenType: 'ORANGE_JUICE', amount: 10 }) }
        const [held] = heldBy([await hold(buyer!, index % 2 === 0 ? [apple, orange] : [orange, apple])])
        ids.push(held!.id)
      }
      const outcomes = await Promise.all(ids.map((id) => settleInStore(market, id)))
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'settled'])
    }
  })

  it('parts of removed listings return to the same sellers from several baskets', async () => {
    const pair = sellers.slice(0, 2)
    for (let round = 0; round < 10; round++) {
      const held: string[] = []
      for (const [index, buyer] of buyers.slice(0, 6).entries()) {
        const inOrder = index % 2 === 0 ? pair : pair.toReversed()
        const parents: string[] = []
        for (const seller of inOrder) parents.push(await offer(market, seller))
        const outcome = await hold(
          buyer,
          parents.map((listingId) => ({ listingId, amount: 5 })),
        )
        held.push(...heldBy([outcome]).map(({ id }) => id))
        for (const [place, id] of parents.entries()) await removeListing(market.database, inOrder[place]!, id)
      }
      expect(held).toHaveLength(6)
      await Promise.all(held.map((id) => inTransaction(market.database, (tx) => endHold(tx, id, () => 'expired'))))
    }
  })

  it('holding, ending, settling late and removing one listing and its parts leave nothing behind', async () => {
    for (let round = 0; round < 12; round++) {
      const [first, second] = [await offer(market, sellers[0]!), await offer(market, sellers[1]!)]
      const part = (listingId: string, amount: number) => ({ listingId, amount })
      const wallets = await players(8)
      const held = heldBy([
        await hold(wallets[0]!, [part(first, 10), part(second, 10)]),
        await hold(wallets[1]!, [part(second, 20), part(first, 20)]),
        await hold(wallets[2]!, [part(first, 30)]),
      ])
      // What is left is held as a whole, so that a part that is freed is for sale by itself.
      const [rest] = heldBy([await hold(wallets[3]!, [{ listingId: first }])])
      await lapseInStore(market, held[2]!.id)
      const byItself = held[2]!.items[0]!.listingId
      const end = (id: string) => inTransaction(market.database, (tx) => endHold(tx, id, () => 'expired'))
      const results = await Promise.all(
        shuffled([
          () => end(held[0]!.id),
          () => end(held[1]!.id),
          () => settleInStore(market, held[1]!.id),
          () => settleInStore(market, held[2]!.id),
          () => (round % 2 === 0 ? end(rest!.id) : settleInStore(market, rest!.id)),
          () => hold(wallets[4]!, [part(first, 15), part(second, 15)]),
          () => hold(wallets[5]!, [{ listingId: byItself }, part(second, 7)]),
          () => hold(wallets[6]!, [part(second, 80), { listingId: first }]),
          () => outcomeOf(removeListing(market.database, sellers[0]!, first)),
          () => outcomeOf(removeListing(market.database, sellers[0]!, byItself)),
          () => outcomeOf(removeListing(market.database, sellers[1]!, second)),
        ]).map((act) => act()),
      )
      expect(results).toHaveLength(11)
      await expectLedgerAddsUp(market)
    }
  })
})
