import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamportsToSol } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { expect } from 'vitest'
import { listOwnListings } from '../../../src/listings/listing-store.ts'
import { readMarketPage } from '../../../src/market/market-store.ts'
import { type FeeTerms } from '../../../src/purchases/purchase/purchase.ts'
import { type HeldPurchase } from '../../../src/purchases/hold/hold-store.ts'
import { expectLedgerAddsUp, type StoreMarket } from './store-market.ts'

/** A listing as its seller offered it. */
export interface Offered {
  id: string
  seller: WalletAddress
  amount: number
  lamports: bigint
}

/** A purchase as it was held, and what this test knows of it. */
export interface Followed {
  hold: HeldPurchase
  buyer: WalletAddress
  /** What it was offered as: the listing, or the one that the part was split from. */
  roots: { id: string; amount: number }[]
  settledBy: Signature | undefined
}

/** One market, and what has happened in it. */
export interface SplitMarket {
  market: StoreMarket
  sellers: readonly WalletAddress[]
  buyers: readonly WalletAddress[]
  fee: FeeTerms
  offered: Offered[]
  /** Identifiers of all rows that anybody could name: listings and parts. */
  named: string[]
  purchases: Followed[]
  /** Of each drink, that every player began with. */
  startTokens: number
}

interface Row {
  id: string
  root: string
  status: string
  amount: bigint
  lamports: bigint
  heldBy: string | null
}

async function readRows({ connection }: StoreMarket): Promise<Row[]> {
  const { rows } = await connection.pool.query<Row>(
    `select id, coalesce(part_of, id) as root, status, amount, price_lamports as lamports, held_by as "heldBy" from listings`,
  )
  return rows
}

const sum = <T>(rows: readonly T[], value: (row: T) => bigint | number) => rows.reduce((total, row) => total + BigInt(value(row)), 0n)

/** Everything that must be true after every step, whatever happened before. */
export async function expectAllPartsAddUp(split: SplitMarket): Promise<void> {
  await expectLedgerAddsUp(split.market)
  const rows = await readRows(split.market)
  expectOffersAddUp(split, rows)
  expectHoldsMatch(split, rows)
  await expectBalances(split, rows)
  await expectOwnViews(split, rows)
  await expectMarketPage(split, rows)
}

/** Amounts of a listing and of its parts are what its seller offered, and each costs its share of the price, rounded up. */
function expectOffersAddUp({ offered }: SplitMarket, rows: readonly Row[]): void {
  for (const { id, amount, lamports } of offered) {
    const family = rows.filter(({ root, status }) => root === id && status !== 'merged')
    expect({ id, amount: sum(family, (row) => row.amount) }).toEqual({ id, amount: BigInt(amount) })
    for (const row of family) {
      expect({ id, lamports: row.lamports }).toEqual({ id, lamports: (lamports * row.amount + BigInt(amount) - 1n) / BigInt(amount) })
    }
  }
}

function expectHoldsMatch({ purchases }: SplitMarket, rows: readonly Row[]): void {
  const held = rows.flatMap(({ id, heldBy }) => (heldBy === null ? [] : [`${heldBy} ${id}`])).toSorted()
  const expected = purchases.filter(isHeld).flatMap(({ hold }) => hold.items.map(({ listingId }) => `${hold.id} ${listingId}`))
  expect(held).toEqual(expected.toSorted())
  for (const { root, id, status, heldBy } of rows) {
    // A part that nobody holds is for sale by itself only while its listing is not.
    const parent = rows.find((row) => row.id === root)
    const waits = id !== root && status === 'active' && heldBy === null && parent?.status === 'active' && parent.heldBy === null
    expect({ id, waits }).toEqual({ id, waits: false })
  }
}

/** Set by the steps of the test, when a purchase is no longer held. */
export const ended = new WeakSet<Followed>()
const isHeld = (purchase: Followed) => !ended.has(purchase)

async function expectBalances(
  { market, sellers, buyers, purchases, offered, startTokens }: SplitMarket,
  rows: readonly Row[],
): Promise<void> {
  const { rows: balances } = await market.connection.pool.query<{ wallet: string; amount: bigint }>(
    `select wallet_address as wallet, amount from balances where token_type = 'APPLE_JUICE'`,
  )
  const found = Object.fromEntries(balances.map(({ wallet, amount }) => [wallet, amount]))
  const ofSeller = (seller: string) => {
    const roots = new Set(offered.filter((each) => each.seller === seller).map(({ id }) => id))
    return (
      BigInt(startTokens) -
      sum(
        rows.filter(({ root, status }) => roots.has(root) && ['active', 'reserved', 'sold'].includes(status)),
        ({ amount }) => amount,
      )
    )
  }
  const ofBuyer = (buyer: string) => {
    const bought = purchases.filter((purchase) => purchase.buyer === buyer && purchase.settledBy !== undefined)
    return (
      BigInt(startTokens) +
      sum(
        bought.flatMap(({ hold }) => hold.items),
        ({ amount }) => amount,
      )
    )
  }
  const expected = [...sellers.map((seller) => [seller, ofSeller(seller)]), ...buyers.map((buyer) => [buyer, ofBuyer(buyer)])]
  expect(found).toMatchObject(Object.fromEntries(expected))
}

/** What so much of an offer costs. */
function shareOf(offered: SplitMarket['offered'], id: string, part: bigint): bigint {
  const offer = offered.find((each) => each.id === id)!
  return (offer.lamports * part + BigInt(offer.amount) - 1n) / BigInt(offer.amount)
}

/** What a seller sees: each offer once, with all of it that is not sold, and what of that is being bought. */
async function expectOwnViews({ market, sellers, offered, purchases }: SplitMarket, rows: readonly Row[]): Promise<void> {
  for (const seller of sellers) {
    const own = await listOwnListings(market.database, seller, 'active')
    const open = rows.filter(({ status }) => status === 'active' || status === 'reserved')
    for (const { id } of offered.filter((each) => each.seller === seller)) {
      const family = open.filter(({ root }) => root === id)
      const seen = own.filter(({ _id, partOf }) => _id === id || partOf === id)
      const isOpen = family.some((row) => row.id === id)
      expect({ id, amount: sum(seen, ({ amount }) => amount), rows: isOpen ? seen.length : 1 }).toEqual({
        id,
        amount: sum(family, ({ amount }) => amount),
        rows: 1,
      })
      if (isOpen)
        expect(Math.round(seen[0]!.price * 1e9)).toBe(
          Number(
            shareOf(
              offered,
              id,
              sum(family, ({ amount }) => amount),
            ),
          ),
        )
      const bought = purchases.filter(isHeld).flatMap(({ roots }) => roots.filter((root) => root.id === id))
      expect({ id, beingBought: sum(seen, ({ beingBought }) => beingBought) }).toEqual({
        id,
        beingBought: sum(bought, ({ amount }) => amount),
      })
      const sold = rows.filter((row) => row.root === id && row.id !== id && row.status === 'sold')
      if (isOpen) expect(seen[0]?.sold).toBe(Number(sum(sold, ({ amount }) => amount)))
    }
  }
}

/** The market shows what can be held now or is held as a whole, never a held part; so does whoever has followed its events. */
async function expectMarketPage({ market, offered }: SplitMarket, rows: readonly Row[]): Promise<void> {
  const sellers = new Set(offered.map(({ seller }) => seller as string))
  const { connection } = market
  const query = { scope: { kind: 'all' }, sort: 'newest', limit: 200, cursor: undefined } as const
  const page: Listing[] = JSON.parse(`[${(await readMarketPage(connection.readPool, query)).listings}]`)
  const shown = page.filter(({ seller }) => sellers.has(seller))
  const active = rows.filter(({ status, root }) => status === 'active' && offered.some(({ id }) => id === root))
  const facts = ({ id, amount, lamports, heldBy }: Row) => ({ id, amount: Number(amount), price: priceOf(lamports), held: heldBy !== null })
  const seen = ({ _id: id, amount, price, heldUntil }: Listing) => ({ id, amount, price, held: heldUntil !== null })
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
  expect(shown.map(seen).toSorted(byId)).toEqual(active.map(facts).toSorted(byId))
  const followed = await followEvents(market)
  expect([...followed.values()].filter(({ seller }) => sellers.has(seller)).toSorted((a, b) => a._id.localeCompare(b._id))).toEqual(
    shown.toSorted((a, b) => a._id.localeCompare(b._id)),
  )
}

const priceOf = (lamports: bigint) => lamportsToSol(lamports)

async function followEvents({ connection }: StoreMarket): Promise<Map<string, Listing>> {
  const { rows } = await connection.pool.query<{ data: { type: string; listing: Listing } }>(
    `select data from events where type like 'listing.%' order by xid, id`,
  )
  const market = new Map<string, Listing>()
  for (const { data } of rows) {
    const { type, listing } = data
    if (type === 'listing.removed' || type === 'listing.sold') market.delete(listing._id)
    else market.set(listing._id, listing)
  }
  return market
}
