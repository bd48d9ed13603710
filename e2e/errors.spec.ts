import { list } from './support/api-listing.ts'
import { banner, expect, findListing, sell, test } from './support/test.ts'

test.use({ allowedErrors: /Failed to load resource/ })

const closed = { status: 409, json: { error: 'The bar is closed' } }
const wordless = { status: 500, json: {} }
const unforeseen = {
  status: 500,
  headers: { 'x-request-id': '7f3c1d' },
  json: { error: 'Something went wrong on our side. Please try again.', code: 'INTERNAL' },
}

test('a failed listing shows the server’s message, or else its own', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('button', { name: 'Sell' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
  await dialog.getByLabel('Token Amount').fill('1')
  await dialog.getByLabel('Price (SOL)').fill('0.5')
  for (const [reply, text] of [
    [closed, 'The bar is closed'],
    [unforeseen, 'Something went wrong on our side. Please try again. (Request 7f3c1d)'],
    [wordless, 'Error creating listing'],
  ] as const) {
    await page.route('**/api/marketplace/listings', (route) => route.fulfill(reply))
    await dialog.getByRole('button', { name: 'List Item' }).click()
    await expect(banner(page)).toHaveText(text)
    await expect(dialog).toBeVisible()
    await page.unroute('**/api/marketplace/listings')
  }
  await page.route('**/api/marketplace/listings', (route) => route.abort())
  await page.getByRole('button', { name: 'Dismiss' }).dispatchEvent('click')
  await expect(banner(page)).toHaveCount(0)
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(banner(page)).toHaveText('Error creating listing')
})

test('a listing whose first answer is lost is put up once, and its seller notices nothing', async ({ signedIn }) => {
  const { page, address } = await signedIn({ sol: 0 })
  const keys: (string | undefined)[] = []
  await page.route('**/api/marketplace/listings', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    const response = await route.fetch()
    const lost = { status: 503, json: { error: 'The market cannot reach its database right now.', code: 'DATABASE_DOWN' } }
    await route.fulfill(keys.length === 1 ? lost : { response })
  })
  await sell(page, 'Apple Juice', 1, 0.5)
  await findListing(page, address)
  expect(new Set(keys).size).toBe(1)
  expect(keys).toEqual([expect.stringMatching(/^[\d-]{20,}$/), expect.anything()])
  await sell(page, 'Apple Juice', 1, 0.5)
  expect(new Set(keys).size).toBe(2)
})

test('a failed removal shows the server’s message, or else its own', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await sell(page, 'Apple Juice', 1, 0.5)
  await page.getByRole('tab', { name: 'My Listings' }).click()
  for (const [reply, text] of [
    [closed, 'The bar is closed'],
    [wordless, 'Error removing listing'],
  ] as const) {
    await page.route('**/api/marketplace/listings/*', (route) => route.fulfill(reply))
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(banner(page)).toHaveText(text)
    await page.unroute('**/api/marketplace/listings/*')
  }
})

test('a purchase that the server refuses shows its message, and the wallet is not asked', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'APPLE_JUICE', 1, 0.5)
  const { page } = await signedIn()
  // The confirmation asks for the terms without an upper bound.
  await page.route('**/api/marketplace/offers', (route) =>
    route.request().postData()?.includes('maxLamports') ? route.fulfill(closed) : route.continue(),
  )
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.5 SOL' }).click()
  await expect(banner(page)).toHaveText('The bar is closed')

  await page.unroute('**/api/marketplace/offers')
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.5 SOL' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
})

test('a purchase that fails for an unknown reason still says that no SOL moved', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'APPLE_JUICE', 1, 0.5)
  const { page } = await signedIn()
  await page.route('**/api/marketplace/offers', (route) => route.fulfill({ status: 500, body: '' }))
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.5 SOL' }).click()
  await expect(banner(page)).toContainText('Your wallet was not asked, so no SOL moved.')
})

test('a failed login names the reason, or else the authorization', async ({ openPlayer }) => {
  const { page } = await openPlayer({ sol: 0 })
  await page.route('**/api/auth/verify', (route) => route.fulfill(wordless))
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(banner(page)).toHaveText('Error: Authorization error. Check if your internet connection is stable')
  await page.unroute('**/api/auth/verify')
  await page.route('**/api/auth/verify', (route) => route.fulfill({ status: 401, json: { error: 'This request has expired.' } }))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(banner(page)).toHaveText('Error: This request has expired. Check if your internet connection is stable')
})
