import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { removeListing } from '../../../src/listings/change-listings.ts'
import { readAvailability } from '../../../src/purchases/cases/seen-refund-store.ts'
import { feeOf } from '../../../src/purchases/purchase/purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/end-hold.ts'
import { outcomeOf } from '../trading-world.ts'
import { ended, expectAllPartsAddUp, type Followed, type SplitMarket } from './split-market.ts'
import {
  addPlayer,
  closeWindow,
  holdInStore,
  lapseInStore,
  newSignature,
  offer,
  openStoreMarket,
  settleInStore,
  type StoreMarket,
} from './store-market.ts'

const RUNS_EACH = 2
const STEPS = 50
const START_TOKENS = 100_000
const AMOUNT = 40
const FIRST_PRICES = [10_000_000n, 7_000_000n, 1_000_000n]

const numRuns = inject('propertyRuns') * RUNS_EACH

it(
  'however listings are split, held, merged, removed and sold, every token and every lamport of them stays',
  { timeout: numRuns * 30_000 },
  async () => {
    const steps = fc.array(splitSteps, { minLength: 1, maxLength: STEPS, size: 'max' })
    const property = fc.asyncProperty(steps, fc.constantFrom(0, 250, 1_000), async (acts, basisPoints) => {
      const market = await openStoreMarket()
      const split = await openSplitMarket(market, basisPoints)
      const did: string[] = []
      for (const act of [...firstSteps, ...acts]) {
        did.push(await act(split))
        await expectAllPartsAddUp(split).catch((error: unknown) => {
          throw new Error(did.join('\n'), { cause: error })
        })
      }
      await market.close()
    })
    await fc.assert(property, { numRuns, endOnFailure: true })
  },
)

async function openSplitMarket(market: StoreMarket, basisPoints: number): Promise<SplitMarket> {
  const sellers = [await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS)]
  const buyers = [await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS), await addPlayer(market, START_TOKENS)]
  const split: SplitMarket = {
    market,
    sellers,
    buyers,
    fee: { basisPoints, wallet: sellers[1] },
    offered: [],
    named: [],
    purchases: [],
    startTokens: START_TOKENS,
  }
  for (const [index, price] of FIRST_PRICES.entries()) {
    const seller = sellers[index % sellers.length]!
    const id = await offer(market, seller, { amount: AMOUNT, price })
    split.offered.push({ id, seller, amount: AMOUNT, lamports: price })
    split.named.push(id)
  }
  return split
}

/** Does something in the market. Resolves to what it did, in words. */
type Act = (split: SplitMarket) => Promise<string>

/** Now and then somebody names a listing that is not for sale. */
const SELDOM = 7

const n = fc.nat({ max: 999 })
const amounts = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(undefined))
const pick = <T>(from: readonly T[], number: number): T | undefined => from[number % Math.max(1, from.length)]

/** A part of the first listing is held, and then its rest as a whole: what becomes of the part depends on which of them ends first. */
export const firstSteps: readonly Act[] = [
  holdStep({ n: 0, items: [{ n: 1, amount: 12 }] }),
  holdStep({ n: 1, items: [{ n: 1, amount: undefined }] }),
]

/** Every step. A number chooses among what exists when its turn comes. */
export const splitSteps: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .record({ n, amount: fc.integer({ min: 1, max: 30 }), thousandths: fc.integer({ min: 1, max: 9 }), divisible: fc.nat({ max: 4 }) })
      .map(listStep),
  },
  {
    weight: 10,
    arbitrary: fc.record({ n, items: fc.array(fc.record({ n, amount: amounts }), { minLength: 1, maxLength: 4 }) }).map(holdStep),
  },
  { weight: 3, arbitrary: n.map(cancelStep) },
  { weight: 2, arbitrary: n.map(lapseStep) },
  { weight: 1, arbitrary: n.map(closeWindowStep) },
  { weight: 3, arbitrary: n.map(settleStep) },
  { weight: 1, arbitrary: n.map(removeStep) },
)

function listStep(given: { n: number; amount: number; thousandths: number; divisible: number }): Act {
  return async ({ market, sellers, offered, named }) => {
    const seller = sellers[given.n % sellers.length]!
    const price = BigInt(given.thousandths) * 1_000_000n
    const id = await offer(market, seller, { amount: given.amount, price, divisible: given.divisible > 0 })
    offered.push({ id, seller, amount: given.amount, lamports: price })
    named.push(id)
    return `listing ${named.length - 1}: ${given.amount} for ${price}`
  }
}

function holdStep(given: { n: number; items: { n: number; amount: number | undefined }[] }): Act {
  return async (split) => {
    const { market, buyers, named, purchases, fee } = split
    const buyer = buyers[given.n % buyers.length]!
    const open = await readOpenIds(split)
    const ids = [...new Set(given.items.flatMap((item) => pick(item.n % SELDOM === 0 ? named : open, item.n) ?? []))]
    if (ids.length === 0) return '(nothing to hold)'
    const items = ids.map((listingId, index) => ({ listingId, amount: given.items[index]?.amount }))
    const before = await readListings(split, ids)
    const reserved = await readReservedParts(split)
    const order = { buyer, items, paysTransfers: true } as const
    const outcome = await holdInStore(market, order, fee)
    await noteEnds(split)
    if (outcome.kind === 'refused') return `buyer holds ${ids.map((id) => named.indexOf(id)).join(', ')}: ${outcome.refusal.code}`
    const { hold } = outcome
    if (purchases.some((known) => known.hold.id === hold.id)) return 'the same hold'
    const total = hold.items.reduce((sum, item) => sum + BigInt(item.lamports), 0n)
    expect(hold.priceLamports).toBe(total)
    const paid = hold.items.map((item) => ({ seller: item.seller, lamports: BigInt(item.lamports) }))
    expect(hold.feeLamports).toBe(feeOf(paid, fee, buyer))
    const merged = await onlyMerged(split, reserved)
    for (const [index, item] of hold.items.entries()) {
      const was = withReturned(
        before.find(({ id }) => id === ids[index]),
        merged,
      )
      const asked = items[index]?.amount
      if (asked !== undefined) expect(item.amount).toBe(asked)
      if (was && was.heldBy === null) {
        expect(item).toMatchObject({ amount: asked ?? Number(was.amount), seller: was.seller })
        expect(BigInt(item.lamports)).toBe(shareOf(split, item))
      }
      if (!named.includes(item.listingId)) named.push(item.listingId)
    }
    purchases.push({
      hold,
      buyer,
      roots: hold.items.map(({ listingId, partOf, amount }) => ({ id: partOf ?? listingId, amount })),
      settledBy: undefined,
    })
    return `purchase ${purchases.length - 1} of ${hold.items.map((item) => `${item.amount} of ${named.indexOf(item.partOf ?? item.listingId)}`).join(', ')}`
  }
}

/** What a part costs: its share of the price that the seller asked for all of it, rounded up. */
function shareOf({ offered }: SplitMarket, { listingId, partOf, amount }: Followed['hold']['items'][number]): bigint {
  const { lamports, amount: all } = offered.find(({ id }) => id === (partOf ?? listingId))!
  return (lamports * BigInt(amount) + BigInt(all) - 1n) / BigInt(all)
}

/** What is for sale by itself, held or not, and the parts that are held. */
async function readOpenIds({ market }: SplitMarket): Promise<string[]> {
  const { rows } = await market.connection.pool.query<{ id: string }>(
    `select id from listings where status in ('active', 'reserved') order by status, id`,
  )
  return rows.map(({ id }) => id)
}

interface ReservedPart {
  id: string
  partOf: string
  amount: bigint
}

async function readReservedParts({ market }: SplitMarket): Promise<ReservedPart[]> {
  const { rows } = await market.connection.pool.query<ReservedPart>(
    `select id, part_of as "partOf", amount from listings where status = 'reserved'`,
  )
  return rows
}

async function onlyMerged({ market }: SplitMarket, parts: readonly ReservedPart[]): Promise<ReservedPart[]> {
  const { rows } = await market.connection.pool.query<{ id: string }>(
    `select id from listings where status = 'merged' and id = any ($1::uuid[])`,
    [parts.map(({ id }) => id)],
  )
  return parts.filter((part) => rows.some(({ id }) => id === part.id))
}

/** A hold first ends those that can end unsent, whose parts go back to the listing. */
function withReturned<Row extends { id: string; amount: bigint }>(
  listing: Row | undefined,
  merged: readonly ReservedPart[],
): Row | undefined {
  if (!listing) return undefined
  const returned = merged.filter(({ partOf }) => partOf === listing.id)
  return { ...listing, amount: returned.reduce((total, part) => total + part.amount, listing.amount) }
}

async function readListings({ market }: SplitMarket, ids: readonly string[]) {
  const { rows } = await market.connection.pool.query<{
    id: string
    seller: string
    amount: bigint
    heldBy: string | null
  }>(`select id, seller, amount, held_by as "heldBy" from listings where id = any ($1)`, [ids])
  return rows
}

/** Now and then one that is over already. */
function pickOpen({ purchases }: SplitMarket, number: number): Followed | undefined {
  return pick(number % SELDOM === 0 ? purchases : purchases.filter((purchase) => !ended.has(purchase)), number)
}

/** Finds the holds that have ended, and lets them have ended long ago, so that no buyer is in a cooldown. */
async function noteEnds({ market, purchases }: SplitMarket): Promise<void> {
  await market.connection.pool.query(`update purchases set ended_at = now() - interval '3 days' where ended_at is not null`)
  const { rows } = await market.connection.pool.query<{ id: string }>(`select id from purchases where status = 'held'`)
  const held = new Set(rows.map(({ id }) => id))
  for (const purchase of purchases) if (!held.has(purchase.hold.id)) ended.add(purchase)
}

function cancelStep(number: number): Act {
  return async (split) => {
    const purchase = pickOpen(split, number)
    if (!purchase) return '(nothing to cancel)'
    const deps = { database: split.market.database } as Parameters<typeof cancelHold>[0]
    await cancelHold(deps, purchase.buyer, purchase.hold.id)
    await noteEnds(split)
    return `purchase ${split.purchases.indexOf(purchase)} is cancelled`
  }
}

function lapseStep(number: number): Act {
  return async (split) => {
    const purchase = pickOpen(split, number)
    if (!purchase) return '(nothing to lapse)'
    await lapseInStore(split.market, purchase.hold.id)
    await noteEnds(split)
    return `purchase ${split.purchases.indexOf(purchase)} lapses`
  }
}

/** Its time is over, but nobody has noticed yet, or there is no proof yet that nobody paid. */
function closeWindowStep(number: number): Act {
  return async (split) => {
    const purchase = pickOpen(split, number)
    if (!purchase) return '(no window)'
    await closeWindow(split.market, purchase.hold.id)
    await noteEnds(split)
    return `the window of purchase ${split.purchases.indexOf(purchase)} closes`
  }
}

/** A payment is delivered if the purchase is held, or if all its items are free; else nothing moves. */
function settleStep(number: number): Act {
  return async (split) => {
    const purchase: Followed | undefined = pick(split.purchases, number)
    if (!purchase) return '(nothing to settle)'
    const { market, purchases } = split
    const { id } = purchase.hold
    const wasEnded = ended.has(purchase)
    const available = wasEnded && purchase.settledBy === undefined ? await readAvailability(market.database, id, newSignature()) : undefined
    const signature = newSignature()
    const { outcome } = await settleInStore(market, id, signature)
    const expected =
      purchase.settledBy !== undefined ? 'paid_before' : available === undefined || available === 'free' ? 'settled' : 'listing_gone'
    expect({ purchase: purchases.indexOf(purchase), available, outcome }).toEqual({
      purchase: purchases.indexOf(purchase),
      available,
      outcome: expected,
    })
    if (outcome === 'settled') {
      purchase.settledBy = signature
      ended.add(purchase)
    }
    return `purchase ${purchases.indexOf(purchase)} is paid${wasEnded ? ' late' : ''}: ${outcome}`
  }
}

function removeStep(number: number): Act {
  return async (split) => {
    const id = pick(number % SELDOM === 0 ? split.named : await readOpenIds(split), number)
    const rows = id === undefined ? [] : await readListings(split, [id])
    const [row] = rows
    if (!id || !row) return '(nothing to remove)'
    const seller = split.sellers.find((each) => each === row.seller)!
    return `listing ${split.named.indexOf(id)} is removed: ${await outcomeOf(removeListing(split.market.database, seller, id))}`
  }
}
