import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postStudioOrder } from '../../../src/inventory/post-studio-order.ts'
import { stampSales } from '../../../src/market/figure-store.ts'
import { createProfits } from '../../../src/market/read-profit.ts'
import { profit } from '../../../src/market/routes.ts'
import {
  addPlayer,
  expectLedgerAddsUp,
  newAddress,
  offer,
  openStoreMarket,
  type StoreMarket,
} from '../../purchases/baskets/store-market.ts'
import { openServer } from '../market-world.ts'
import { settledPurchase } from '../../studio/sales/sale-market.ts'

type Entries = Reply<'myLedger'>['entries']

let market: StoreMarket
let fastify: FastifyInstance

beforeAll(async () => {
  market = await openStoreMarket()
  fastify = await openServer((api) => profit.calls(api, market))
})
afterAll(async () => {
  await expectLedgerAddsUp(market)
  await fastify.close()
  await market.close()
})

const get = (player: string, call: string, query: Record<string, string> = {}) =>
  fastify.inject({ method: 'GET', url: `/api/marketplace/${call}`, query, headers: { player } })
const readProfit = async (player: string) => (await get(player, 'profit')).json<Reply<'profit'>>()

async function readLedger(player: string, limit: number): Promise<Entries> {
  const entries: Entries = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const reply = await get(player, 'my-ledger', { limit: String(limit), ...(cursor && { cursor }) })
    expect(reply.statusCode).toBe(200)
    const page: Reply<'myLedger'> = reply.json()
    entries.push(...page.entries)
    cursor = page.nextCursor
  }
  return entries
}

async function use(walletAddress: WalletAddress, amount: number): Promise<void> {
  const idempotencyKey = `use ${walletAddress} ${amount}`
  await postStudioOrder(market, { direction: 'debit', walletAddress, tokenType: 'APPLE_JUICE', amount, idempotencyKey })
}

async function vanish(purchaseId: string): Promise<void> {
  await market.connection.pool.query(
    `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
     select id, 'vanished', signature, sellers[1], 1, false from purchases where id = $1`,
    [purchaseId],
  )
}

it('a basket with a fee, a part, what was used and what was undone are in the ledger of both sides, and add up', async () => {
  const fee = { basisPoints: 250, wallet: await newAddress() }
  const seller = await addPlayer(market, 100)
  const buyer = await addPlayer(market, 5)
  const apples = await offer(market, seller, { amount: 30, price: 10_000_000n })
  const oranges = await offer(market, seller, { amount: 7, price: 1_000_000n, tokenType: 'ORANGE_JUICE', divisible: false })
  const basket = await settledPurchase(market, buyer, [{ listingId: apples, amount: 7 }, { listingId: oranges }], { fee })
  const undone = await settledPurchase(market, buyer, [{ listingId: apples, amount: 3 }])
  await vanish(undone)
  await use(buyer, 6)
  const resold = await offer(market, buyer, { amount: 4, price: 9_000_000n })
  await settledPurchase(market, seller, [{ listingId: resold, amount: 3 }])

  const shown = (entries: Entries) =>
    entries.map(({ kind, tokenType, amount, lamports, feeLamports, undone }) => [kind, tokenType, amount, lamports, feeLamports, undone])
  const own = await readLedger(buyer, 3)
  expect(shown(own)).toEqual([
    ['credited', 'APPLE_JUICE', 5, '0', '0', false],
    ['credited', 'ORANGE_JUICE', 5, '0', '0', false],
    ['bought', 'APPLE_JUICE', 7, '2333334', '58333', false],
    ['bought', 'ORANGE_JUICE', 7, '1000000', '25000', false],
    ['bought', 'APPLE_JUICE', 3, '0', '0', true],
    ['used', 'APPLE_JUICE', 6, '0', '0', false],
    ['sold', 'APPLE_JUICE', 3, '6750000', '0', false],
  ])
  // What the buyer pays the studio on top is no matter of the seller's.
  expect(shown(await readLedger(seller, 3)).slice(2)).toEqual([
    ['sold', 'APPLE_JUICE', 7, '2333334', '0', false],
    ['sold', 'ORANGE_JUICE', 7, '1000000', '0', false],
    ['sold', 'APPLE_JUICE', 3, '0', '0', true],
    ['bought', 'APPLE_JUICE', 3, '6750000', '0', false],
  ])
  expect(own[2]).toMatchObject({ id: `${basket}.01`, counterparty: seller, signature: expect.stringMatching(/^\w{80,}$/) })
  expect(own[5]).toMatchObject({ id: expect.stringMatching(/^\d+$/), counterparty: null, signature: null })

  // Five credited and one bought were used; the next three were bought as well. 7 cost 2,391,667, so the first of them 341,667.
  const apple = {
    bought: { amount: 7, basis: '2391667', fee: '58333' },
    credited: { amount: 8 },
    sold: { amount: 3, basis: '1025000', lamports: '6750000', profit: '5725000' },
    used: { amount: 6, basis: '341667' },
    lost: { amount: 0, basis: '0' },
    held: { amount: 6, basis: '1025000' },
  }
  const orange = {
    bought: { amount: 7, basis: '1025000', fee: '25000' },
    credited: { amount: 5 },
    sold: { amount: 0, basis: '0', lamports: '0', profit: '0' },
    used: { amount: 0, basis: '0' },
    lost: { amount: 0, basis: '0' },
    held: { amount: 12, basis: '1025000' },
  }
  const drinks = [
    { tokenType: 'APPLE_JUICE', ...apple },
    { tokenType: 'ORANGE_JUICE', ...orange },
  ]
  expect(await readProfit(buyer)).toEqual({ complete: true, drinks })
  expect((await readProfit(seller)).drinks[0]).toMatchObject({
    sold: { amount: 7, lamports: '2333334', profit: '2333334' },
    lost: { amount: 3, basis: '0' },
    bought: { amount: 3, basis: '6750000' },
    held: { amount: 93, basis: '6750000' },
  })
})

it('a ledger is the same in pages of any size, also of what happened in the same millisecond', async () => {
  const seller = await addPlayer(market, 100)
  const buyer = await addPlayer(market, 100)
  const listing = await offer(market, seller, { amount: 60 })
  const back = await offer(market, buyer, { amount: 60 })
  for (let amount = 1; amount <= 4; amount++) {
    await settledPurchase(market, buyer, [{ listingId: listing, amount }])
    await settledPurchase(market, seller, [{ listingId: back, amount }])
    await use(buyer, amount)
  }
  await readProfit(buyer)
  // The same moment for everything: the order is then that of the identifiers.
  const { pool } = market.connection
  await pool.query(`update sales set settled_at = '2030-01-01' where buyer = any ($1) or seller = any ($1)`, [[buyer, seller]])
  await pool.query(`update transfers set created_at = '2030-01-01' where wallet_address = any ($1)`, [[buyer, seller]])
  const all = await readLedger(buyer, 1_000)
  expect(all).toHaveLength(2 + 12)
  expect(new Set(all.map(({ at }) => at)).size).toBe(1)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const limit of [1, 2, 3, 5, 13, 14]) expect(await readLedger(buyer, limit)).toEqual(all)

  const whole = await readProfit(buyer)
  const inPages = createProfits(market.connection, 3)
  expect(await inPages(buyer)).toEqual(whole)
  expect(await Promise.all([inPages(buyer), inPages(seller), inPages(buyer)])).toEqual([whole, await readProfit(seller), whole])
})

it('a long ledger is followed as it was when that began, whatever is sold meanwhile', async () => {
  const [seller, buyer] = [await addPlayer(market, 100), await addPlayer(market, 100)]
  const listingId = await offer(market, seller, { amount: 60 })
  for (let amount = 1; amount <= 4; amount++) await settledPurchase(market, buyer, [{ listingId, amount }])
  const before = await readProfit(buyer)
  let reads = 0
  const readPool = new Proxy(market.connection.readPool, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        // After the first page, the last place in the order of sales, and the first page again.
        if (name === 'query' && ++reads === 4) {
          await settledPurchase(market, buyer, [{ listingId, amount: 5 }])
          await stampSales(market.database)
        }
        return (value as (...args: unknown[]) => unknown).apply(target, given)
      }
    },
  })
  expect(await createProfits({ database: market.database, readPool }, 3)(buyer)).toEqual(before)
  expect(reads).toBe(4)
  expect((await readProfit(buyer)).drinks[0]).toMatchObject({ bought: { amount: 15 } })
})

it('a player without a single drink has an empty ledger', async () => {
  const nobody = await newAddress()
  expect(await readProfit(nobody)).toEqual({ drinks: [], complete: true })
  expect(await readLedger(nobody, 10)).toEqual([])
})

it.each(['x', '1.2.3', `${'9'.repeat(15)}.1`, '1.x', '1.'])('no page has the cursor %j', async (cursor) => {
  expect((await get(await newAddress(), 'my-ledger', { cursor })).json()).toMatchObject({ code: 'CURSOR_INVALID' })
})

it.each(['0.0', `99999999999999.${'9'.repeat(18)}`])('a page may begin at any time: %s', async (cursor) => {
  expect((await get(await newAddress(), 'my-ledger', { cursor })).json()).toEqual({ entries: [], nextCursor: null })
})
