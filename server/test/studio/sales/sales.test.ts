import { type WalletAddress } from '@juicebar/contract/addresses'
import { expect, it } from 'vitest'
import { feeShares } from '../../../src/purchases/purchase/purchase.ts'
import { startJobs } from '../../../src/runtime/repeat.ts'
import { rollingUpJob } from '../../../src/market/create-figures.ts'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import { newAddress, newSignature, offer } from '../../purchases/baskets/store-market.ts'
import { followSales, heldPurchase, settledPurchase, useSaleMarket } from './sale-market.ts'

const market = useSaleMarket({ sellers: 3, tokens: 100_000 })

it('begins before the first sale, and says where to go on although there is none', async () => {
  const empty = await readSales(market.database, {})
  expect(empty).toEqual({ sales: [], next: '0-0' })
  expect(await readSales(market.database, { after: empty.next })).toEqual(empty)
})

it('each item of a settled purchase is a sale, and their shares add up to the fee', async () => {
  const { sellers, buyer } = market
  const studio = sellers[1]!
  const fee = { basisPoints: 333, wallet: studio }
  const prices = [1_000_000n, 7_000_000n, 3_000_000n]
  const listings = await Promise.all(sellers.map((seller, n) => offer(market, seller, { price: prices[n]!, amount: 7, divisible: false })))
  const whole = await offer(market, sellers[2]!, { amount: 9, price: 5_000_000n })
  const signature = newSignature()
  const items = [...listings.map((listingId) => ({ listingId })), { listingId: whole, amount: 4 }]
  const { next } = await followSales(market)
  const purchaseId = await settledPurchase(market, buyer, items, { fee, signature })

  const { sales } = await followSales(market, next)
  const { rows } = await market.query('select fee_lamports, settled_at from purchases where id = $1', [purchaseId])
  const paid = sales.map(({ seller, lamports }) => ({ seller, lamports: BigInt(lamports) }))
  expect(sales.map((sale) => BigInt(sale.fee.lamports))).toEqual(feeShares(paid, fee, buyer))
  expect(sales.reduce((sum, sale) => sum + BigInt(sale.fee.lamports), 0n)).toBe(rows[0]!.fee_lamports)
  expect(sales.map(({ listingId }) => listingId).slice(0, 3)).toEqual(listings)
  expect(sales[3]).toEqual({
    saleId: `${purchaseId}.4`,
    reverses: null,
    purchaseId,
    listingId: expect.not.stringContaining(whole),
    buyer,
    seller: sellers[2],
    tokenType: 'APPLE_JUICE',
    amount: 4,
    lamports: '2222223',
    fee: { lamports: expect.any(String), basisPoints: 333 },
    signature,
    settledAt: rows[0]!.settled_at.toISOString(),
    checkout: null,
  })
})

it('a hold and an unpaid purchase are no sales', async () => {
  const { next } = await followSales(market)
  await heldPurchase(market, market.buyer, [{ listingId: await offer(market, market.seller) }])
  expect(await readSales(market.database, { after: next })).toEqual({ sales: [], next })
  await market.query(`update purchases set status = 'ended', end_reason = 'lapsed', ended_at = now() where status = 'held'`)
  expect(await readSales(market.database, { after: next })).toEqual({ sales: [], next })
})

it('the same in pages of any size', async () => {
  for (let n = 0; n < 5; n++) await market.trade()
  const { sales, next } = await followSales(market)
  for (const limit of [1, 2, 3]) expect(await followSales(market, undefined, limit)).toEqual({ sales, next })
  expect(new Set(sales.map(({ saleId }) => saleId)).size).toBe(sales.length)
})

it('a payment that the chain undid is an entry for each item, once, after the sale', async () => {
  const { sellers, buyer } = market
  const items = [{ listingId: await offer(market, sellers[0]!) }, { listingId: await offer(market, sellers[1]!) }]
  const purchaseId = await settledPurchase(market, buyer, items)
  const openCases = (seller: WalletAddress) =>
    market.query(
      `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
       select id, 'vanished', signature, $2, 1, false from purchases where id = $1`,
      [purchaseId, seller],
    )
  await openCases(sellers[0]!)
  const { sales, next } = await followSales(market)
  expect(sales.slice(-4).map(({ saleId, reverses }) => [saleId, reverses])).toEqual([
    [`${purchaseId}.1`, null],
    [`${purchaseId}.2`, null],
    [`${purchaseId}.1.reversed`, `${purchaseId}.1`],
    [`${purchaseId}.2.reversed`, `${purchaseId}.2`],
  ])
  await openCases(sellers[1]!)
  expect(await followSales(market, next)).toEqual({ sales: [], next })
})

it('sales get their places although nobody reads them', async () => {
  const stop = startJobs([rollingUpJob(market.database)], market.failures)
  const purchaseId = await market.trade()
  await expect.poll(async () => (await market.query('select from sales where purchase_id = $1', [purchaseId])).rowCount).toBe(1)
  await stop()
})

it.each(['', '0', '1-', '-1-1', '1-1-1', '1e3-1', `${'9'.repeat(19)}-1`, '1-1; drop table sales', '\u0000', await newAddress()])(
  'the cursor %j is none of ours',
  async (after) => {
    await expect(readSales(market.database, { after })).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
  },
)

it('a place that the database has lost, or given to another sale since, is refused instead of leaving a gap', async () => {
  await market.trade()
  const kept = (await followSales(market)).next
  const soldId = await market.trade()
  const after = (await followSales(market)).next

  await market.query('delete from sales where purchase_id = $1', [soldId])
  await market.query('update sales_head set ordinal = ordinal - 1')
  await expect(readSales(market.database, { after })).rejects.toMatchObject({ code: 'CURSOR_EPOCH' })
  const otherId = await market.trade()
  expect((await followSales(market, kept)).sales.map(({ purchaseId }) => purchaseId)).toEqual([otherId])
  await expect(readSales(market.database, { after })).rejects.toMatchObject({ code: 'CURSOR_EPOCH' })
})
