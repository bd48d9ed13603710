import { lamportsToSol, partPrice } from '@juicebar/contract/money'
import { type Rule } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { removeListing } from '../../src/listings/change-listings.ts'
import { brokenPriceRule, draftRules, ruleReply } from '../../src/restrictions/restriction.ts'
import { recordRules } from '../../src/studio/record-restrictions.ts'
import { useTradingWorld, type Wallet } from '../purchases/trading-world.ts'

const SOL = 1_000_000_000n
const broken = (words: string) =>
  expect.objectContaining({ code: 'RULE_BROKEN', message: `A rule of this market does not allow that: ${words}` })

const world = useTradingWorld()
/** Of each test: it would find the listings and blocks of those before. */
beforeEach(async () => void (world.seller = await world.createWallet()))
afterEach(() => set([]))
const set = (rules: Rule[]) =>
  recordRules(world.database, { rules: draftRules(rules, defaultCatalogue), catalogue: defaultCatalogue, reason: undefined, actor: 'test' })
const setApple = (limits: Omit<Rule, 'tokenType'>) => set([{ tokenType: 'APPLE_JUICE', ...limits }])

describe('rules', () => {
  it('are read as exactly the lamports that were written, however few', () => {
    const limit = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.bigInt({ min: 0n, max: 2_000n }))
    fc.assert(
      fc.property(limit, (value) => {
        const [rule] = draftRules([{ tokenType: 'Apple Juice', minUnitPrice: lamportsToSol(value) }], defaultCatalogue)
        expect(rule?.minUnitLamports).toBe(value)
        expect(rule && ruleReply(rule)).toEqual({ tokenType: 'APPLE_JUICE', minUnitPrice: lamportsToSol(value) })
      }),
    )
  })

  it.each([
    ['a limit below a lamport', [{ tokenType: 'APPLE_JUICE', minUnitPrice: 1e-10 }]],
    ['a limit between two lamports', [{ tokenType: 'APPLE_JUICE', maxUnitPrice: 1.5e-9 }]],
    ['ten decimals', [{ tokenType: 'APPLE_JUICE', maxSolPerWalletPerDay: 1.0000000001 }]],
    ['bounds that exclude every price', [{ tokenType: 'APPLE_JUICE', minUnitPrice: 2, maxUnitPrice: 1 }]],
    ['two rules for one drink', [{ tokenType: 'APPLE_JUICE' }, { tokenType: 'Apple Juice' }]],
  ])('with %s are refused', (_what, rules) => {
    expect(() => draftRules(rules, defaultCatalogue)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  })

  it('are replaced as a whole, and are in the log', async () => {
    await setApple({ minUnitPrice: 0.5, maxListingsPerWallet: 3 })
    const rules = await set([{ tokenType: 'GRAPE_SODA', maxSolPerWalletPerDay: 2 }])
    expect(rules.map(ruleReply)).toEqual([{ tokenType: 'GRAPE_SODA', maxSolPerWalletPerDay: 2 }])
    const { rows } = await world.connection.pool.query('select call, reason from studio_log order by id desc limit 2')
    expect(rows.toReversed()).toEqual([
      { call: 'setRules', reason: 'Apple Juice: at least 0.5 SOL each, at most 3 listings of a wallet.' },
      { call: 'setRules', reason: 'Grape Soda: at most 2 SOL a day of a wallet.' },
    ])
  })
})

describe('the unit price', () => {
  const offers = fc.record({ amount: fc.integer({ min: 1, max: 1_000_000_000 }), price: fc.bigInt({ min: 1_000_000n, max: 10n ** 15n }) })
  const anyLimit = fc.record({ offer: offers, limit: fc.bigInt({ min: 0n, max: 10n ** 15n }) })
  /** Bounds near the offer's own unit price, where rounding would show. */
  const nearLimit = fc.record({ offer: offers, off: fc.bigInt({ min: -2n, max: 2n }) }).map(({ offer, off }) => {
    const unit = offer.price / BigInt(offer.amount) + off
    return { offer, limit: unit < 0n ? 0n : unit }
  })

  it('is compared exactly, for every amount and price', () => {
    const none = { tokenType: 'APPLE_JUICE', minUnitLamports: null, maxUnitLamports: null, maxListings: null, maxDailyLamports: null }
    fc.assert(
      fc.property(fc.oneof(nearLimit, anyLimit), ({ offer: { amount, price: lamports }, limit }) => {
        const offer = { tokenType: 'APPLE_JUICE', amount, lamports }
        const least = brokenPriceRule({ ...none, minUnitLamports: limit }, offer)
        expect(least?.rule).toBe(lamports < limit * BigInt(amount) ? 'minUnitPrice' : undefined)
        const most = brokenPriceRule({ ...none, maxUnitLamports: limit }, offer)
        expect(most?.rule).toBe(lamports > limit * BigInt(amount) ? 'maxUnitPrice' : undefined)
      }),
      { numRuns: 1_000 },
    )
  })

  it('of no part, and of no rest, breaks a rule that the listing keeps', () => {
    fc.assert(
      fc.property(offers, fc.nat(), ({ amount, price }, n) => {
        fc.pre(amount > 1 && price >= BigInt(amount))
        const part = 1 + (n % (amount - 1))
        const [least, most] = [price / BigInt(amount), (price + BigInt(amount) - 1n) / BigInt(amount)]
        const paid = partPrice({ amount, lamports: price }, part)
        for (const [drinks, cost] of [
          [part, paid],
          [amount - part, price - paid],
        ] as const) {
          expect(cost).toBeGreaterThanOrEqual(least * BigInt(drinks))
          expect(cost).toBeLessThanOrEqual(most * BigInt(drinks))
        }
      }),
    )
  })

  it('is checked when listing and when holding, not of what is paid', async () => {
    const listTen = (price: bigint) => world.list(world.seller, { amount: 10, price })
    const listingId = await listTen(1n * SOL)
    const purchase = await world.hold(world.buyer, await listTen(2n * SOL))
    await setApple({ minUnitPrice: 0.100000001, maxUnitPrice: 0.15 })
    const tooCheap = broken('Apple Juice must cost at least 0.100000001 SOL each.')
    const tooDear = broken('Apple Juice must cost at most 0.15 SOL each.')
    await expect(listTen(1n * SOL)).rejects.toEqual(tooCheap)
    await expect(listTen(2n * SOL)).rejects.toEqual(tooDear)
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(tooCheap)
    await expect(world.holdItems(world.buyer, [{ listingId }])).rejects.toMatchObject({ listingId })
    await world.submit(world.buyer, purchase, await world.signPayment(world.buyer, purchase))
    await world.untilStatus(purchase, 'settled')
    await setApple({ minUnitPrice: 0.1, maxUnitPrice: 0.1 })
    await world.cancel(world.buyer, await world.hold(world.buyer, listingId))
  })
})

describe('the number of listings', () => {
  it('is exact, however many are created at the same time, and counts each drink by itself', async () => {
    await setApple({ maxListingsPerWallet: 3 })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => world.list(world.seller, { amount: 1 })))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(refused).toEqual(Array.from({ length: 17 }, () => broken('You may have at most 3 listings of Apple Juice on the market.')))
    await world.list(world.buyer)
    const [first] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    await removeListing(world.database, world.seller.address, first ?? '')
    await world.list()
  })

  it('counts a listing that is sold in parts once', async () => {
    const listingId = await world.list(world.seller, { amount: 20, divisible: true })
    await world.holdItems(world.buyer, [{ listingId, amount: 5 }])
    await setApple({ maxListingsPerWallet: 2 })
    await world.list()
    await expect(world.list()).rejects.toMatchObject({ code: 'RULE_BROKEN' })
  })
})

describe('what a wallet spends in a day', () => {
  it('is exact under 50 holds at the same time, equal allowed', async () => {
    const step = 1_000_000n
    const prices = Array.from({ length: 50 }, (_, n) => 100_000_000n + BigInt(n) * step)
    const listings = await Promise.all(prices.map((price) => world.list(world.seller, { amount: 1, price })))
    // The two cheapest fit exactly, and no other two do.
    const limit = 200_000_000n + step
    await setApple({ maxSolPerWalletPerDay: lamportsToSol(limit) })
    await Promise.allSettled(listings.slice(2).map((listingId) => world.hold(world.buyer, listingId)))
    expect(await openOf(world.buyer)).toHaveLength(1)
    await cancelAll(world.buyer)
    await Promise.allSettled(listings.map((listingId) => world.hold(world.buyer, listingId)))
    expect((await openOf(world.buyer)).reduce((sum, { price }) => sum + price, 0n)).toBeLessThanOrEqual(limit)
    await cancelAll(world.buyer)
    const fitting = await Promise.allSettled(listings.slice(0, 2).map((listingId) => world.hold(world.buyer, listingId)))
    expect(fitting.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  it('includes what was delivered today and what is in the same basket, and is told with what is left', async () => {
    const price = 100_000_000n
    const [bought, ...others] = await Promise.all([1, 2, 3].map(() => world.list(world.seller, { amount: 1, price })))
    const purchase = await world.hold(world.buyer, bought ?? '')
    await world.submit(world.buyer, purchase, await world.signPayment(world.buyer, purchase))
    await world.untilStatus(purchase, 'settled')
    await setApple({ maxSolPerWalletPerDay: 0.25 })
    const both = others.map((listingId) => ({ listingId }))
    await expect(world.holdItems(world.buyer, both)).rejects.toEqual(
      broken('You may buy Apple Juice for at most 0.25 SOL a day; 0.15 SOL are left until midnight UTC.'),
    )
    await world.cancel(world.buyer, await world.hold(world.buyer, others[0] ?? ''))
    await world.connection.pool.query(
      `update purchases set settled_at = date_trunc('day', now(), 'utc') - interval '1 second' where id = $1`,
      [purchase.purchaseId],
    )
    await world.cancel(world.buyer, await world.holdItems(world.buyer, both))
  })

  /** Without leaving a cooldown behind. */
  async function cancelAll(wallet: Wallet): Promise<void> {
    for (const { id: purchaseId } of await openOf(wallet)) await world.cancel(wallet, { purchaseId })
    const forget = `update purchases set ended_at = ended_at - interval '3 days' where buyer = $1 and status = 'ended'`
    await world.connection.pool.query(forget, [wallet.address])
  }

  async function openOf({ address }: Wallet): Promise<{ id: string; price: bigint }[]> {
    const open = `select id, price_lamports as price from purchases where buyer = $1 and status = 'held' order by id`
    return (await world.connection.pool.query<{ id: string; price: bigint }>(open, [address])).rows
  }
})
