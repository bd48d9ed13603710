import { balanceKey } from '@juicebar/contract/catalogue'
import { expect, it, onTestFinished } from 'vitest'

import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { recordCatalogue } from '../../src/catalogue/record-catalogue.ts'
import { creditStarterTokens, seedDemoMarket } from '../../src/embedded/demo/demo-market.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { expectLedgerAddsUp, newAddress, openStoreMarket } from '../purchases/baskets/store-market.ts'
import { catalogueOf, defaultCatalogue } from '../support/catalogue.ts'

async function openDemo(catalogue: Catalogue) {
  const market = await openStoreMarket()
  onTestFinished(() => market.close())
  await recordCatalogue(market.database, catalogue)
  const deps = { ...market, catalogue }
  const listed = async () => {
    const rows = await market.database.selectFrom('listings').select(['tokenType', 'amount']).orderBy('id').execute()
    return rows.map(({ tokenType, amount }) => `${amount} ${tokenType}`)
  }
  // Twice, as a server that is restarted.
  const seed = async () => {
    await seedDemoMarket(deps, 'secret')
    await seedDemoMarket(deps, 'secret')
    await expectLedgerAddsUp(market)
  }
  return { deps, listed, seed }
}

it('the demo of the three drinks has the listings that it always had', async () => {
  const { seed, listed } = await openDemo(defaultCatalogue)
  await seed()
  expect(await listed()).toEqual(
    (
      '10 APPLE_JUICE, 5 ORANGE_JUICE, 8 GRAPE_SODA, 25 APPLE_JUICE, 3 GRAPE_SODA, 40 ORANGE_JUICE, 1 APPLE_JUICE, 20 GRAPE_SODA, ' +
      '12 ORANGE_JUICE, 60 APPLE_JUICE, 50 GRAPE_SODA, 2 ORANGE_JUICE, 15 APPLE_JUICE, 6 GRAPE_SODA, 30 ORANGE_JUICE, 100 APPLE_JUICE'
    ).split(', '),
  )
})

it.each([1, 7, 200])('the demo of %i items has a listing of each, and gives a new player 50 of each, once', async (count) => {
  const catalogue = catalogueOf(count)
  const { deps, seed, listed } = await openDemo(catalogue)
  await seed()
  const listings = await listed()
  expect(listings).toHaveLength(Math.max(16, count))
  expect(new Set(listings.map((listing) => listing.split(' ')[1]))).toEqual(new Set(catalogue.items.map(({ code }) => code)))

  const player = await newAddress()
  for (let time = 0; time < 2; time++) await creditStarterTokens(deps, player)
  const balances = await readBalances(deps.database, player, catalogue)
  expect(balances).toEqual(Object.fromEntries(catalogue.items.map(({ code }) => [balanceKey(code), 50])))
})
