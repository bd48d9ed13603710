import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { withoutFirstView } from './support/first-view.mjs'
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
  await expect(dialog.getByText('You receive')).toBeVisible()
  await expect(dialog.getByText('0.5 SOL', { exact: true })).toBeVisible()
  await expect(dialog.getByText('0.025 SOL', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/be the cheapest, by|above the lowest price|Same as the lowest/)).toBeVisible()
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
  await withoutFirstView(page)
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
  await expect(rows).toHaveText(/Amount 12.*If they don’t, it is yours again/)
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

test('a price is changed in the row of its listing, by keyboard', async ({ signedIn }) => {
  const seller = await signedIn({ sol: 0 })
  const { page } = seller
  await list(seller, 'APPLE_JUICE', 40, 0.4)
  await page.getByRole('tab', { name: 'My Listings' }).click()
  const row = page.getByRole('tabpanel').getByRole('listitem')
  const button = row.getByRole('button', { name: 'Change price' })
  const field = row.getByLabel('New price for all of it (SOL)')

  await button.press('Enter')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('0.4')
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
  await expect(field).toBeHidden()

  await button.press('Enter')
  // What was selected is replaced.
  await page.keyboard.type('0.0005')
  await expect(field).toHaveAccessibleDescription('The lowest price is 0.001 SOL.')
  await field.fill('0.5')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Price changed.' })).toBeVisible()
  await expect(button).toBeFocused()
  await expect(row).toContainText('0.5 SOL')
})

test.describe('a price that was changed a moment ago', () => {
  test.use({ allowedErrors: /429/ })

  test('is not changed again, and the field says why', async ({ signedIn }) => {
    const seller = await signedIn({ sol: 0 })
    const { page } = seller
    const id = await list(seller, 'APPLE_JUICE', 40, 0.4)
    await seller.call('PATCH', `marketplace/listings/${id}`, { price: 0.5 })
    await page.getByRole('tab', { name: 'My Listings' }).click()
    const row = page.getByRole('tabpanel').getByRole('listitem')
    await row.getByRole('button', { name: 'Change price' }).click()
    const field = row.getByLabel('New price for all of it (SOL)')
    await field.fill('0.6')
    await row.getByRole('button', { name: 'Save' }).click()
    await expect(field).toHaveAccessibleDescription(/was changed a moment ago\. You can change it again in \d+ seconds?\./)
    await expect(field).toBeFocused()
    expect((await listingsOf(seller, seller.address))[0]).toMatchObject({ price: 0.5 })
  })
})

test('all listings are removed at once, except one that is being bought', async ({ signedIn, trader }) => {
  test.slow()
  const seller = await signedIn({ sol: 1 })
  const { page } = seller
  await list(seller, 'APPLE_JUICE', 40, 0.4, false)
  const buyer = await trader({ sol: 2 })
  await holdPart(buyer, seller.address, 40)
  for (const amount of [1, 2, 3]) await list(seller, 'ORANGE_JUICE', amount, 0.1)
  await page.getByRole('tab', { name: 'My Listings' }).click()
  const rows = page.getByRole('tabpanel').getByRole('listitem')
  await expect(rows).toHaveCount(4)
  await expect(rows.filter({ hasText: 'Apple Juice' }).getByRole('button', { name: 'Change price' })).toBeDisabled()

  await page.getByRole('button', { name: 'Remove all' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('3 listings leave the market')
  await expect(dialog).toContainText('1 listing stays, because a buyer is paying for it.')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(rows).toHaveCount(4)

  await page.getByRole('button', { name: 'Remove all' }).click()
  await dialog.getByRole('button', { name: 'Remove all' }).click()
  await expect(dialog).toContainText('3 listings removed.')
  await expect(dialog.getByRole('listitem')).toHaveText('40 Apple Juice: a buyer is paying for it.')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('heading', { name: 'Your Listings' })).toBeFocused()
  await expect(rows).toHaveCount(1)
})

test('one press takes the lowest price of all sellers', async ({ signedIn, trader }) => {
  const { page } = await signedIn({ sol: 0 })
  const other = await trader({ sol: 1 })
  // Cheaper than anything else in this market.
  await list(other, 'GRAPE_SODA', 7, 0.001)
  const dialog = await openSellDialog(page, 'Grape Soda')
  const match = dialog.getByRole('button', { name: 'Match the lowest price' })
  await expect(match).toBeDisabled()
  await expect(match).toHaveAccessibleDescription('Enter an amount first.')
  await dialog.getByLabel('Token Amount').fill('20')
  await match.click()
  await expect(dialog.getByLabel('Price (SOL)')).toHaveValue('0.002')
})
