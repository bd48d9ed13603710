import { type Page } from '@playwright/test'

import { banner, expect, sell, test } from './support/test.ts'

test.use({ allowedErrors: /Failed to load resource/ })

test('the app takes neither keys nor clicks during an action, and then the focus returns', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  const remove = await showOwnListing(page)
  const { answer } = await holdBack(page, '**/api/marketplace/listings/*')
  await remove.click()
  await expect(page.getByRole('status').filter({ hasText: 'Processing' })).toContainText('Taking your listing off the market')
  await expect(page.locator('[inert] header')).toHaveCount(1)
  answer({ status: 409, json: { error: 'The bar is closed' } })
  await expect(banner(page)).toHaveText('The bar is closed')
  await expect(page.locator('[inert]')).toHaveCount(0)
  await expect(remove).toBeFocused()

  await page.unroute('**/api/marketplace/listings/*')
  await page.keyboard.press('Enter')
  await expect(page.getByText('You have no active listings')).toBeVisible()
  await expect(page.getByRole('tabpanel')).toBeFocused()
  await expect(banner(page)).toHaveCount(0)
})

test('the same failure twice is told twice', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  const remove = await showOwnListing(page)
  await page.route('**/api/marketplace/listings/*', (route) => route.fulfill({ status: 409, json: { error: 'The bar is closed' } }))
  await remove.click()
  const first = await banner(page).elementHandle()
  await remove.click()
  await expect.poll(() => first?.evaluate((alert) => alert.isConnected)).toBe(false)
  await expect(banner(page)).toHaveText('The bar is closed')
})

test('a toast goes by itself, or when it is closed', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('button', { name: 'Sell' }).first().click()
  const amount = page.getByLabel('Token Amount')
  const toast = page.getByRole('alert').filter({ hasText: 'Fill in all fields' })
  await amount.press('Enter')
  await expect(toast).toBeVisible()
  await toast.getByRole('button', { name: 'Close message' }).click()
  await expect(toast).toHaveCount(0)

  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await amount.press('Enter')
  await expect(toast).toBeVisible()
  await page.clock.runFor(6_700)
  await expect(toast).toBeVisible()
  await page.clock.runFor(20)
  await expect(toast).toHaveCount(0)
})

async function showOwnListing(page: Page) {
  await sell(page, 'Apple Juice', 1, 0.5)
  await page.getByRole('tab', { name: 'My Listings' }).click()
  return page.getByRole('button', { name: 'Remove' })
}

/** Keeps the next call waiting until the test answers it. */
async function holdBack(page: Page, url: string) {
  type Reply = { status: number; json: object }
  let answer: (reply: Reply) => void = () => {}
  const reply = new Promise<Reply>((resolve) => (answer = resolve))
  await page.route(url, async (route) => route.fulfill(await reply))
  return { answer }
}
