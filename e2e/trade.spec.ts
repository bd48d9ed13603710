import { type Reply } from '@juicebar/contract/calls'

import { list } from './support/api-listing.ts'
import { expect, findListing, LAMPORTS_PER_SOL, lamportsOf, sell, test } from './support/test.ts'

test('a listing is sold: SOL goes to the seller, drinks to the buyer', async ({ signedIn, baseURL }) => {
  const seller = await signedIn({ sol: 1 })
  await sell(seller.page, 'Grape Soda', 4, 0.25)
  await expect((await findListing(seller.page, seller.address)).getByText('Your listing')).toBeVisible()

  const buyer = await signedIn({ sol: 2 })
  const listing = await findListing(buyer.page, seller.address)
  await expect(listing).toContainText('Amount4')
  await expect(listing).toContainText(`${seller.address.slice(0, 8)}…`)
  await expect(listing).toContainText('0.25 SOL')
  await expect(listing).toContainText('0.0625 each')
  await listing.getByRole('button', { name: 'Buy' }).click()

  const dialog = buyer.page.getByRole('dialog', { name: 'Confirm your purchase' })
  await expect(dialog).toContainText('4 Grape Soda')
  await expect(dialog).toContainText('about 0.00001 SOL')
  await expect(dialog).toContainText(seller.address)
  await dialog.getByRole('button', { name: 'Pay 0.25 SOL' }).click()

  await expect(buyer.page.getByRole('heading', { name: 'Processing' })).toBeVisible()
  await expect(buyer.page.getByRole('alert').filter({ hasText: /^Purchase successful! [1-9A-HJ-NP-Za-km-z]{20}$/ })).toBeVisible()
  await expect.poll(() => lamportsOf(baseURL ?? '', seller.address)).toBe(1.25 * LAMPORTS_PER_SOL)
  await expect.poll(() => lamportsOf(baseURL ?? '', buyer.address)).toBe(1.75 * LAMPORTS_PER_SOL - 10_000)
  await expect(buyer.page.getByText('1.7499 SOL')).toBeVisible()

  await buyer.page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(buyer.page.getByRole('article').filter({ hasText: 'Grape Soda' })).toContainText('54')
  await expect(buyer.page.getByRole('listitem').filter({ hasText: '4 Grape Soda' })).toContainText('Delivered')

  // The seller's tab learns of it by itself.
  await expect(seller.page.getByRole('alert').filter({ hasText: 'Sold: 4 Grape Soda for 0.25 SOL.' })).toBeVisible()
  await expect(seller.page.getByRole('tab', { name: 'My Listings' })).toHaveAccessibleDescription('1 sold since you last looked')
  await expect(seller.page.getByText('No listings yet')).toBeVisible()
  await expect(seller.page.getByText('1.2500 SOL')).toBeVisible()
  await seller.page.getByRole('tab', { name: 'My Listings' }).click()
  await expect(seller.page.getByText('You have no active listings')).toBeVisible()
  await expect(seller.page.getByRole('tab', { name: 'My Listings' })).toHaveAccessibleDescription('')
  await seller.page.getByText('Sold', { exact: true }).click()
  await expect(seller.page.getByRole('listitem').filter({ hasText: 'Grape Soda' })).toContainText('0.25 SOL')
})

test('sales made while the seller was away are told on return, and counted until the seller looks', async ({ signedIn }) => {
  test.slow()
  const seller = await signedIn({ sol: 1 })
  await list(seller, 'ORANGE_JUICE', 6, 0.3)
  const context = seller.page.context()
  // Before it has read them once, a browser knows of no sales, and calls none of them new.
  const hasReadSales = () => seller.page.evaluate((wallet) => localStorage.getItem(`salesTold:${wallet}`) !== null, seller.address)
  await expect.poll(hasReadSales).toBe(true)
  await seller.page.close()
  const buyer = await signedIn({ sol: 1 })
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await buyer.page.getByRole('button', { name: 'Pay 0.3 SOL' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()

  const page = await context.newPage()
  await page.goto('/')
  const toast = page.getByRole('alert').filter({ hasText: 'Sold: 6 Orange Juice for 0.3 SOL.' })
  const tab = page.getByRole('tab', { name: 'My Listings' })
  await expect(toast).toBeVisible()
  await expect(tab).toHaveAccessibleDescription('1 sold since you last looked')
  await page.reload()
  await expect(tab).toHaveAccessibleDescription('1 sold since you last looked')
  await expect(toast).toHaveCount(0)
  await tab.click()
  await expect(tab).toHaveAccessibleDescription('')
  await page.reload()
  await expect(tab).toBeVisible()
  await expect(page.getByText('1.3000 SOL')).toBeVisible()
  await expect(tab).toHaveAccessibleDescription('')
})

test('a wallet that only sends by itself can buy too', async ({ signedIn, trader, baseURL }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'APPLE_JUICE', 2, 0.1)
  const buyer = await signedIn({ sol: 1, sendsByItself: true })
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await buyer.page.getByRole('button', { name: 'Pay 0.1 SOL' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect.poll(() => lamportsOf(baseURL ?? '', seller.address)).toBe(1.1 * LAMPORTS_PER_SOL)
})

test('a listing is removed, and its drinks come back', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await sell(page, 'Orange Juice', 50, 0.5)
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(page.getByRole('article').filter({ hasText: 'Orange Juice' })).toHaveCount(0)

  await page.getByRole('tab', { name: 'My Listings' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /^Listing removed\.$/ })).toBeVisible()
  await expect(page.getByText('You have no active listings')).toBeVisible()
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(page.getByRole('article').filter({ hasText: 'Orange Juice' })).toContainText('50')
})

test('an inventory without drinks says so', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  for (const drink of ['Apple Juice', 'Orange Juice', 'Grape Soda']) await sell(page, drink, 50, 0.5)
  await page.getByRole('tab', { name: 'Inventory' }).click()
  const text = 'Your inventory is empty, Purchase items from the marketplace to see them here'
  await expect(page.getByText(text, { exact: true })).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(0)
})

test('the sell form enforces its bounds', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').filter({ hasText: 'Apple Juice' }).getByRole('button', { name: 'Sell' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
  const amount = dialog.getByLabel('Token Amount')
  const price = dialog.getByLabel('Price (SOL)')
  const list = dialog.getByRole('button', { name: 'List Item' })
  await expect(amount).toHaveAttribute('min', '1')
  await expect(amount).toHaveAttribute('max', '50')
  await expect(price).toHaveAttribute('min', '0.001')
  await expect(price).toHaveAttribute('step', '0.001')
  await expect(list).toBeDisabled()

  await amount.fill('0')
  await price.fill('1')
  await expect(list).toBeDisabled()
  await amount.fill('51')
  await expect(dialog.getByText('You have 50.')).toBeVisible()
  await amount.fill('10')
  await price.fill('0.0005')
  await expect(dialog.getByText('The lowest price is 0.001 SOL.')).toBeVisible()
  await price.fill('0.5')
  await expect(dialog.getByText('0.05 SOL', { exact: true })).toBeVisible()
  await expect(list).toBeEnabled()

  await amount.fill('')
  await amount.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Fill in all fields' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
})

test('a listing that costs more than the wallet holds is refused before anything happens', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'APPLE_JUICE', 1, 3)
  const buyer = await signedIn({ sol: 1 })
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: /^Insufficient SOL to purchase!$/ })).toBeVisible()
  await expect(buyer.page.getByRole('dialog')).toHaveCount(0)
})

test('a payment declined in the wallet moves no SOL, and its listing was never held', async ({ signedIn, baseURL }) => {
  const seller = await signedIn({ sol: 0 })
  await list(seller, 'ORANGE_JUICE', 3, 0.3)
  const buyer = await signedIn({ sol: 1 })
  await buyer.phantom.refuse(buyer.page, 4001)
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await buyer.page.getByRole('button', { name: 'Pay 0.3 SOL' }).click()
  await expect(buyer.page.getByRole('alert')).toHaveText('You declined the request in your wallet. No SOL moved.')
  await expect.poll(() => lamportsOf(baseURL ?? '', buyer.address)).toBe(LAMPORTS_PER_SOL)
  await expect((await findListing(seller.page, seller.address)).getByText('Held')).toBeHidden()
  await seller.page.getByRole('tab', { name: 'My Listings' }).click()
  await expect(seller.page.getByRole('button', { name: 'Remove' })).toBeEnabled()
})

test('a hold that is declined is cancelled, and the listing free once the network shows that nothing was paid', async ({
  signedIn,
  trader,
}) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'ORANGE_JUICE', 3, 0.3)
  const { page, phantom } = await signedIn({ sol: 1 })
  // It has failed to sign beside the market before, so listings are held for it.
  await page.evaluate(() => localStorage.setItem('walletsThatSignAlone', '["Phantom"]'))
  await phantom.refuse(page, 4001)
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.3 SOL' }).click()
  await expect(page.getByRole('alert')).toContainText(
    'You declined the request in your wallet. No SOL moved. The listing is free again once',
  )
  await expect(page.getByText('We are checking the chain before we free the listing')).toBeVisible()
})

test('a listing that its buyer has left unpaid too often is for sale to that buyer once the cooldown ends', async ({
  signedIn,
  trader,
}) => {
  const [kept, left] = [await trader({ sol: 0 }), await trader({ sol: 0 })]
  const keptId = await list(kept, 'ORANGE_JUICE', 3, 0.3)
  const listingId = await list(left, 'ORANGE_JUICE', 3, 0.3)
  const { page, call } = await signedIn({ sol: 1 })
  await call('POST', `marketplace/buy/${keptId}`, {})
  // Two holds of it take minutes to end.
  const cooldownUntil = new Date(Date.now() + 600_000).toISOString()
  await page.route('**/api/marketplace/my-purchases*', async (route) => {
    const response = await route.fetch()
    const { purchases, ...rest } = (await response.json()) as Reply<'myPurchases'>
    const [held] = purchases
    const items = held?.items.map((item) => ({ ...item, listingId }))
    const ended = { ...held, purchaseId: 'ended', status: 'ended', endReason: 'cancelled', items, cooldownUntil }
    await route.fulfill({ response, json: { ...rest, purchases: [...purchases, ended] } })
  })

  // In a page that is open, the clock would begin at 1970 for a moment.
  await page.goto('about:blank')
  await page.clock.install()
  await page.goto('/')
  const listing = await findListing(page, left.address)
  await expect(listing).toContainText(/Wait until \d\d:\d\d/)
  await expect(listing.getByRole('button', { name: 'Buy' })).toHaveCount(0)
  await page.clock.fastForward('11:00')
  await expect(listing.getByRole('button', { name: 'Buy' })).toBeVisible()
})

test('a hold survives a reload, and is then paid', async ({ signedIn }) => {
  const seller = await signedIn({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const buyer = await signedIn({ sol: 1 })
  await buyer.phantom.refuse(buyer.page, -32603)
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await buyer.page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(buyer.page.getByRole('alert')).toContainText('No SOL moved. Your items stay reserved for you')
  await expect((await findListing(seller.page, seller.address)).getByText('Your listing')).toBeVisible()

  await buyer.page.reload()
  const waiting = buyer.page.getByRole('region', { name: 'Needs attention' })
  await expect(waiting).toContainText('1 Grape Soda for 0.2 SOL')
  await waiting.getByRole('button', { name: 'Connect to pay' }).click()
  await waiting.getByRole('button', { name: 'Pay now' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect(waiting).toBeHidden()
})

test('a hold can be cancelled', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const buyer = await signedIn({ sol: 1 })
  await buyer.phantom.refuse(buyer.page, -32603)
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await buyer.page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await buyer.page.getByRole('button', { name: 'Cancel purchase' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: 'Cancelled. The listing is free again once' })).toBeVisible()
  await expect(buyer.page.getByText('We are checking the chain before we free the listing')).toBeVisible()
  await expect(buyer.page.getByRole('button', { name: 'Cancel purchase' })).toBeHidden()
})
