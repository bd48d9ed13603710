import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { holdByHand, listingsOf, payHold } from './support/pay-by-hand.ts'
import { expect, sell, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

test('a listing is sold in parts unless its seller wants it sold whole', async ({ signedIn }) => {
  const seller = await signedIn({ sol: 0 })
  const dialog = await openSellDialog(seller.page, 'Apple Juice')
  const parts = dialog.getByRole('switch', { name: 'May be bought in parts' })
  await expect(parts).toBeChecked()
  await dialog.getByLabel('Token Amount').fill('20')
  await dialog.getByLabel('Price (SOL)').fill('0.5')
  await expect(dialog.getByText('You receive in all')).toBeVisible()
  await expect(dialog.getByText('0.5 SOL', { exact: true })).toBeVisible()
  await expect(dialog.getByText('0.025 SOL', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/be the cheapest, by|above the cheapest|As cheap as/)).toBeVisible()
  await expect(dialog).not.toContainText(/fee/i)
  await expectAccessible(seller.page)
  await dialog.getByLabel('Price (SOL)').focus()
  await seller.page.keyboard.press('Tab')
  await expect(parts).toBeFocused()
  await seller.page.keyboard.press('Space')
  await expect(parts).not.toBeChecked()
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(dialog).toBeHidden()
  await sell(seller.page, 'Orange Juice', 20, 0.5)
  const listings = await listingsOf(seller, seller.address)
  expect(listings.map(({ tokenName, divisible }) => [tokenName, divisible])).toEqual([
    ['Orange Juice', true],
    ['Apple Juice', false],
  ])
})

test('a fee is the buyer’s, and the seller is told so', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), fee: { basisPoints: 250 } } })
  })
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  const dialog = await openSellDialog(page, 'Apple Juice')
  await expect(dialog).toContainText('The buyer pays the studio’s fee of 2.5% on top.')
})

test('a listing of which a part is being bought stays one row, until it is sold and removed', async ({ signedIn, trader }) => {
  test.slow()
  const seller = await signedIn({ sol: 1 })
  await list(seller, 'APPLE_JUICE', 40, 0.4)
  await seller.page.getByRole('tab', { name: 'My Listings' }).click()
  const rows = seller.page.getByRole('tabpanel').getByRole('listitem')
  await expect(rows).toContainText('Amount 40')
  await expect(rows).not.toContainText('left')

  const buyer = await trader({ sol: 2 })
  const bought = await holdPart(buyer, seller.address, 10)
  await expect(rows).toContainText('Amount 40, of which 10 are being bought')
  await expect(rows).toContainText('30 left')
  await expect(rows).toContainText('If you remove it now, 30 come back at once.')
  await expect(rows).toHaveCount(1)
  await expectAccessible(seller.page)

  await payHold(buyer, bought)
  await expect(rows).toContainText('Amount 30', { timeout: 45_000 })
  await expect(rows).toContainText('10 sold so far, 30 left')
  await expect(rows).not.toContainText('being bought')
  await expect(seller.page.getByRole('alert').filter({ hasText: 'Sold: 10 Apple Juice for 0.1 SOL.' })).toBeVisible()

  await holdPart(buyer, seller.address, 12)
  await expect(rows).toContainText('10 sold so far, 18 left')
  await rows.getByRole('button', { name: 'Remove' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: /^Listing removed\.$/ })).toBeVisible()
  await expect(rows).toHaveText(/Amount 12.*Unless they do, it is yours again/)
  await seller.page.getByText('Sold', { exact: true }).click()
  await expect(rows).toHaveText(/Amount 10.*Sold in parts/)
  await seller.page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(seller.page.getByRole('article').filter({ hasText: 'Apple Juice' })).toContainText('28')
})

async function openSellDialog(page: Page, drink: string) {
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').filter({ hasText: drink }).getByRole('button', { name: 'Sell' }).click()
  return page.getByRole('dialog', { name: 'Sell Tokens' })
}

async function holdPart(buyer: Trader, seller: string, amount: number) {
  const [listing] = await listingsOf(buyer, seller)
  return holdByHand(buyer, [{ listingId: listing?._id ?? '', amount }])
}
