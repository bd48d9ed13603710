import { type WalletAddress } from '@juicebar/contract/addresses'
import { balanceKey } from '@juicebar/contract/catalogue'
import { lamports } from '@juicebar/contract/money'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Catalogue, type NamedItem } from '../../src/catalogue/catalogue.ts'
import { recordCatalogue } from '../../src/inventory/record-catalogue.ts'
import { creditStarterTokens, seedDemoMarket } from '../../src/embedded/demo.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { createListing, removeListing } from '../../src/listings/change-listings.ts'
import { findListing } from '../../src/listings/listing-store.ts'
import { expectLedgerAddsUp, newAddress, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { heldPurchase } from '../studio/sales/sale-market.ts'
import { catalogueNamed, catalogueOf, defaultCatalogue } from '../support/catalogue.ts'

let market: StoreMarket
let seller: WalletAddress

beforeEach(async () => {
  market = await openStoreMarket()
  seller = await newAddress()
})
afterEach(() => market.close())

const teaAndAle = () => catalogueNamed({ TEA: 'Tea', ALE: 'Ale' })
const tea = (name: string) => ({ code: 'TEA', name })
const ale = (name: string) => ({ code: 'ALE', name })
const record = (catalogue: Catalogue) => recordCatalogue(market.database, catalogue)
const known = async (): Promise<NamedItem[]> =>
  market.database.selectFrom('tokenTypes').select(['tokenType as code', 'name']).orderBy('tokenType').execute()
const move = (direction: 'credit' | 'debit', tokenType: string, amount: number) =>
  postStudioOrder(market, { direction, walletAddress: seller, tokenType, amount, idempotencyKey: `${direction} ${tokenType}` })
const nameInReply = async (id: string) =>
  (await market.connection.pool.query(`select reply_json::json ->> 'tokenName' as name from listings where id = $1`, [id])).rows
const list = async (tokenType: string, amount: number, { divisible = false } = {}) =>
  (await createListing(market.database, seller, { tokenType, amount, priceLamports: lamports(1_000_000n), divisible }))._id

describe('the catalogue in the database', () => {
  it('is that of the server, in place of the three drinks that every database begins with', async () => {
    await record(teaAndAle())
    expect(await known()).toEqual([ale('Ale'), tea('Tea')])
  })

  it('stays as it is where the three drinks are traded', async () => {
    const before = await known()
    await record(defaultCatalogue)
    await record(defaultCatalogue)
    expect(await known()).toEqual(before)
  })

  it('keeps an item that has left it, and its name, which purchases still show', async () => {
    await record(teaAndAle())
    const later = catalogueNamed({ ALE: 'Ale' })
    await record(later)
    expect(await known()).toContainEqual(tea('Tea'))
    expect(later.nameOf('TEA')).toBe('Tea')
  })

  it('refuses codes that no file may have, whoever writes them', async () => {
    for (const code of ['tea', 'TEA_', 'T'.repeat(41)])
      await expect(record(catalogueNamed({ [code]: 'Tea' }))).rejects.toThrow('token_types_code')
  })
})

describe('an item that leaves the catalogue', () => {
  const start = async () => {
    await record(teaAndAle())
    await move('credit', 'TEA', 30)
  }

  it('stops the start while players have it, and nothing is written', async () => {
    await start()
    const listing = await list('TEA', 12)
    const before = await known()
    await expect(record(catalogueNamed({ ALE: 'Bitter' }))).rejects.toThrow(
      'TEA (Tea) is not in the catalogue, but players own it: 18 in wallets and 12 in listings on the market. Put it back',
    )
    await move('debit', 'TEA', 18)
    await expect(record(catalogueNamed({ ALE: 'Bitter' }))).rejects.toThrow('players own it: 12 in listings on the market. Put it back')
    await removeListing(market.database, seller, listing)
    await expect(record(catalogueNamed({ ALE: 'Bitter' }))).rejects.toThrow('players own it: 12 in wallets. Put it back')
    expect(await known()).toEqual(before)
  })

  it('stops the start while the part of a listing is left that somebody is buying', async () => {
    await start()
    const listingId = await list('TEA', 12, { divisible: true })
    await heldPurchase(market, await newAddress(), [{ listingId, amount: 4 }])
    await removeListing(market.database, seller, listingId)
    await move('debit', 'TEA', 26)
    await expect(record(catalogueNamed({ ALE: 'Ale' }))).rejects.toThrow('players own it: 4 in listings on the market. Put it back')
  })

  it('may go once nobody has it, and come back', async () => {
    await start()
    await move('debit', 'TEA', 30)
    await record(catalogueNamed({ ALE: 'Ale' }))
    await record(catalogueNamed({ TEA: 'Green Tea', ALE: 'Ale' }))
    expect(await known()).toContainEqual(tea('Green Tea'))
  })

  it('is named with all others that players have', async () => {
    await start()
    await move('credit', 'ALE', 1)
    await expect(record(catalogueNamed({ RUM: 'Rum' }))).rejects.toThrow(/ALE \(Ale\)[^]*TEA \(Tea\)/)
  })
})

describe('an item with a new name', () => {
  it('has it on the market at once, and keeps balances and listings', async () => {
    await record(teaAndAle())
    await move('credit', 'TEA', 30)
    await move('credit', 'ALE', 30)
    const [listing, untouched, removed] = [await list('TEA', 12), await list('ALE', 1), await list('TEA', 2)]
    await removeListing(market.database, seller, removed)
    const before = await findListing(market.database, listing)
    await record(catalogueNamed({ TEA: 'Green Tea', ALE: 'Ale' }))
    expect(await findListing(market.database, listing)).toEqual({ ...before, tokenName: 'Green Tea' })
    expect(await findListing(market.database, removed)).toMatchObject({ tokenName: 'Green Tea', status: 'removed' })
    expect(await findListing(market.database, untouched)).toMatchObject({ tokenName: 'Ale' })
    expect(await nameInReply(listing)).toEqual([{ name: 'Green Tea' }])
  })

  it('may exchange it with another', async () => {
    await record(teaAndAle())
    await record(catalogueNamed({ TEA: 'Ale', ALE: 'Tea' }))
    expect(await known()).toEqual([ale('Tea'), tea('Ale')])
  })

  it('has that of the server that wrote it last, if two with different names start at the same time', async () => {
    await record(catalogueNamed({ TEA: 'Tea' }))
    await move('credit', 'TEA', 30)
    const listingId = await list('TEA', 12)
    const { pool } = market.connection
    const other = await pool.connect()
    await other.query('begin')
    await other.query(`update token_types set name = 'Green Tea' where token_type = 'TEA'`)
    await other.query(`update listings set reply_json = '' where id = $1`, [listingId])
    const later = record(catalogueNamed({ TEA: 'Tea' }))
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => expect((await pool.query(waits)).rowCount).toBe(1), { timeout: 30_000 })
    await other.query('commit')
    other.release()
    await later
    expect([await nameInReply(listingId), await known()]).toEqual([[{ name: 'Tea' }], [tea('Tea')]])
  })

  it('has it in a listing that is put up in the same moment', async () => {
    await record(catalogueNamed({ TEA: 'Tea' }))
    await move('credit', 'TEA', 40)
    const names = ['Tea 1', 'Tea 2', 'Tea 3', 'Tea 4']
    const listed = Promise.all(Array.from({ length: 20 }, () => list('TEA', 2)))
    for (const name of names) await record(catalogueNamed({ TEA: name }))
    const listings = await Promise.all((await listed).map((id) => findListing(market.database, id)))
    expect(new Set(listings.map((listing) => listing?.tokenName))).toEqual(new Set(['Tea 4']))
  })
})

it('servers that start together with the same catalogue write it once', async () => {
  const names = { TEA: 'Tea', ALE: 'Ale', RUM: 'Rum' }
  await Promise.all(Array.from({ length: 6 }, () => record(catalogueNamed(names))))
  expect((await known()).map(({ code }) => code)).toEqual(['ALE', 'RUM', 'TEA'])
})

/** Seeds the demo twice, as a server that is restarted. @returns what is then listed */
async function seedDemo(catalogue: Catalogue): Promise<string[]> {
  await record(catalogue)
  for (let start = 0; start < 2; start++) await seedDemoMarket({ ...market, catalogue }, 'secret')
  await expectLedgerAddsUp(market)
  const rows = await market.database.selectFrom('listings').select(['tokenType', 'amount']).orderBy('id').execute()
  return rows.map(({ tokenType, amount }) => `${amount} ${tokenType}`)
}

it('the demo of the three drinks has the listings that it always had', async () => {
  expect(await seedDemo(defaultCatalogue)).toEqual(
    (
      '10 APPLE_JUICE, 5 ORANGE_JUICE, 8 GRAPE_SODA, 25 APPLE_JUICE, 3 GRAPE_SODA, 40 ORANGE_JUICE, 1 APPLE_JUICE, 20 GRAPE_SODA, ' +
      '12 ORANGE_JUICE, 60 APPLE_JUICE, 50 GRAPE_SODA, 2 ORANGE_JUICE, 15 APPLE_JUICE, 6 GRAPE_SODA, 30 ORANGE_JUICE, 100 APPLE_JUICE'
    ).split(', '),
  )
})

it.each([1, 7, 200])('the demo of %i items has a listing of each, and gives a new player 50 of each, once', async (count) => {
  const catalogue = catalogueOf(count)
  const listings = await seedDemo(catalogue)
  expect(listings).toHaveLength(Math.max(16, count))
  expect(new Set(listings.map((listing) => listing.split(' ')[1]))).toEqual(new Set(catalogue.items.map(({ code }) => code)))

  const player = await newAddress()
  for (let time = 0; time < 2; time++) await creditStarterTokens({ ...market, catalogue }, player)
  const balances = await readBalances(market.database, player, catalogue)
  expect(balances).toEqual(Object.fromEntries(catalogue.items.map(({ code }) => [balanceKey(code), 50])))
})
