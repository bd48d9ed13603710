import { type BrowserContext, type Page, type Route } from '@playwright/test'

import { expectAccessibleByDayAndNight } from './support/accessible.ts'
import { list, remove } from './support/api-listing.ts'
import { withoutFirstView } from './support/first-view.mjs'
import { expect, findListing, test } from './support/test.ts'

test.use({ allowedErrors: /Failed to load resource/ })

const TOO_LONG = 'Your wallet took longer than Solana allows. Nothing was sent. Please approve once more.'
const PAYMENTS = '**/api/marketplace/payments'

const confirmation = (page: Page) => page.getByRole('dialog', { name: 'Confirm your purchase' })
const bought = (page: Page) => page.getByRole('alert').filter({ hasText: 'Purchase successful!' })

async function buy(page: Page, seller: string): Promise<void> {
  await (await findListing(page, seller)).getByRole('button', { name: 'Buy' }).click()
}

/** Answers the first payment as the server does when its blockhash is too old, and counts all of them. */
async function expireFirst(page: Page): Promise<{ payments: number }> {
  const seen = { payments: 0 }
  await page.route(PAYMENTS, async (route) => {
    seen.payments += 1
    if (seen.payments > 1) return route.continue()
    return route.fulfill({ status: 409, json: { error: 'It was signed too long ago.', code: 'PAYMENT_EXPIRED' } })
  })
  return seen
}

test('the confirmation shows the terms of an offer, and the payment reserves and delivers', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 4, 0.4)
  const { page } = await signedIn({ sol: 1 })
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'POST' && calls.push(new URL(request.url()).pathname))
  await buy(page, seller.address)
  await confirmation(page).getByRole('spinbutton', { name: 'Amount' }).fill('3')
  await expect(confirmation(page)).toContainText('Price0.3 SOL')
  await expect(confirmation(page)).toContainText('Network feeabout 0.00001 SOL')
  await expectAccessibleByDayAndNight(page)
  await confirmation(page).getByRole('button', { name: 'Pay 0.3 SOL' }).click()
  await expect(bought(page)).toBeVisible()
  expect(calls).toContain('/api/marketplace/payments')
  expect(calls).not.toContain('/api/marketplace/purchases')
})

test('a wallet that took too long is asked once more by itself', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const { page } = await signedIn({ sol: 1 })
  const seen = await expireFirst(page)
  await buy(page, seller.address)
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(bought(page)).toBeVisible()
  expect(seen.payments).toBe(2)
})

test('a wallet on a phone that took too long is asked once more after a tap', async ({ signedIn, trader, openContext }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const profile = await openContext({ viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true })
  const { page } = await signedIn({ sol: 1, profile })
  const seen = await expireFirst(page)
  await buy(page, seller.address)
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(page.getByRole('status').filter({ hasText: TOO_LONG })).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  expect(seen.payments).toBe(1)
  await page.getByRole('button', { name: 'Approve once more' }).click()
  await expect(bought(page)).toBeVisible()
})

test('a payment that nobody answers for is repeated after a reload, without another approval', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const { page } = await signedIn({ sol: 1 })
  const sent: (string | null)[] = []
  const lose = async (route: Route) => {
    sent.push(route.request().postData())
    await route.abort()
  }
  await page.route(PAYMENTS, lose)
  await buy(page, seller.address)
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'The market has not answered yet.' })).toBeVisible()
  await page.getByRole('button', { name: 'Keep browsing' }).click()
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText('The market has not answered yet.')
  await page.reload()
  await expect(attention).toContainText('1 Grape Soda for 0.2 SOL')
  await expect(attention).toContainText('do not approve another one for this')
  const repeated = page.waitForRequest(PAYMENTS)
  await page.unroute(PAYMENTS, lose)
  expect((await repeated).postData()).toBe(sent[0])
  await expect(bought(page)).toBeVisible()
  await expect(attention).toBeHidden()
})

test('whoever was too slow is told so, and buys the next best with one press', async ({ signedIn, trader }) => {
  const [first, second] = [await trader({ sol: 1 }), await trader({ sol: 1 })]
  const taken = await list(first, 'APPLE_JUICE', 2, 0.002)
  await list(second, 'APPLE_JUICE', 2, 0.003)
  const { page } = await signedIn({ sol: 1 })
  const takeIt = async (route: Route) => {
    await remove(first, taken)
    await route.continue()
  }
  await page.route(PAYMENTS, takeIt, { times: 1 })
  await buy(page, first.address)
  await page.getByRole('button', { name: 'Pay 0.002 SOL' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Someone else was faster. Your payment was not sent.' })).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  await confirmation(page).getByRole('button', { name: 'Buy 2 for 0.003 SOL' }).click()
  await expect(bought(page)).toBeVisible()
})

test('after a reload the first press of Buy connects the wallet and goes on to the confirmation', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const { page } = await signedIn({ sol: 1 })
  await page.reload()
  await buy(page, seller.address)
  await expect(confirmation(page)).toContainText('1 Grape Soda')
})

test('a wallet that signs only alone is asked again for a payment of its own, and is known the next time', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 2, 0.2)
  const { page } = await signedIn({ sol: 1, signsOnlyAlone: true })
  await buy(page, seller.address)
  await confirmation(page).getByRole('spinbutton', { name: 'Amount' }).fill('1')
  await page.getByRole('button', { name: 'Pay 0.1 SOL' }).click()
  await expect(bought(page)).toBeVisible()
  await buy(page, seller.address)
  await expect(confirmation(page)).toContainText('about 0.000005 SOL')
})

test('a wallet that only sends by itself is told that it cannot buy where only the market sends', async ({
  signedIn,
  trader,
  openContext,
}) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const profile = await openContext()
  await letOnlyMarketSend(profile)
  const { page } = await signedIn({ sol: 1, sendsByItself: true, profile })
  await buy(page, seller.address)
  await expect(page.getByRole('alert').filter({ hasText: /^This wallet cannot buy here: it only sends payments by itself/ })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a market whose wallets may not send offers no code to pay by', async ({ openContext, trader }) => {
  const seller = await trader({ sol: 0 })
  const id = await list(seller, 'GRAPE_SODA', 1, 0.2)
  const profile = await openContext()
  await letOnlyMarketSend(profile)
  const page = await profile.newPage()
  await page.goto(`/listing/${id}`)
  await page.getByRole('button', { name: 'Buy with your phone' }).click()
  await expect(page.getByText('Scan it with your phone’s camera.')).toBeVisible()
  await expect(page.getByText('Pay with any wallet')).toHaveCount(0)
})

/** Shows the pages of a profile a market with a public address, in which no wallet may send its payment by itself. */
async function letOnlyMarketSend(profile: BrowserContext): Promise<void> {
  await withoutFirstView(profile)
  await profile.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const config = (await response.json()) as object
    await route.fulfill({ response, json: { ...config, walletSends: 'off', publicOrigin: 'https://market.example' } })
  })
}
