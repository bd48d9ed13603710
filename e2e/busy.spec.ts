import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { banner, expect, findListing, type Player, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

test.use({ allowedErrors: /Failed to load resource/ })

const TOLD = 'Many people are buying right now. Nothing was held, and no SOL moved.'
const BUSY = 'Many people are buying right now. Please try again in a moment.'

type Open<Person> = (options?: { sol?: number }) => Promise<Person>

test('a purchase at a busy server is tried again by itself, also after its overlay is closed', async ({ signedIn, trader }) => {
  const { page, seller } = await openListing(signedIn, trader)
  const server = await makeBusy(page, 1)
  await buy(page, seller)
  await expect(page.getByRole('status').filter({ hasText: TOLD })).toContainText(/Trying again in [12] seconds\./)
  await expect.poll(() => server.refused).toBeGreaterThan(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Processing' })).toHaveCount(0)
  await expect(attention(page)).toContainText(TOLD)
  await expect(attention(page)).toContainText('1 Grape Soda for 0.2 SOL')
  server.busy = false
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect(attention(page)).toBeHidden()
})

test('a purchase that waits for a busy server can be cancelled with the keyboard, and is not tried again', async ({ signedIn, trader }) => {
  const { page, seller } = await openListing(signedIn, trader)
  const server = await makeBusy(page, 60)
  await buy(page, seller)
  const told = page.getByRole('status').filter({ hasText: TOLD })
  await expect(told.getByRole('paragraph')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Cancel purchase' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('You cancelled this purchase. Nothing was held, and no SOL moved.')
  await expect(page.getByRole('heading', { name: 'Processing' })).toHaveCount(0)

  await page.clock.install()
  await page.clock.runFor(180_000)
  expect(server.refused).toBe(1)
})

test('a purchase that waits in the background is cancelled among what needs attention', async ({ signedIn, trader }) => {
  const { page, seller } = await openListing(signedIn, trader)
  await makeBusy(page, 60)
  const listing = await buy(page, seller)
  await page.getByRole('button', { name: 'Keep browsing' }).click()
  await expectAccessible(page)
  await listing.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(page.getByRole('alert')).toHaveText('Your other purchase is still under way. Wait for it or cancel it, then try again.')
  await attention(page).getByRole('button', { name: 'Cancel purchase' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Nothing was held, and no SOL moved.' })).toBeVisible()
  await expect(attention(page)).toBeHidden()
})

test('a server that stays busy is reported in its own words', async ({ signedIn, trader }) => {
  const { page, seller } = await openListing(signedIn, trader)
  await makeBusy(page, 3_600)
  await buy(page, seller)
  await expect(banner(page)).toHaveText(`${BUSY} Nothing was held, and no SOL moved.`)
})

/** A seller's listing of 1 Grape Soda for 0.2 SOL, and a buyer's page. */
async function openListing(signedIn: Open<Player>, trader: Open<Trader>): Promise<{ page: Page; seller: string }> {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 1, 0.2)
  const { page } = await signedIn({ sol: 1 })
  return { page, seller: seller.address }
}

/** Lets the server refuse every purchase as busy until `busy` is false. */
async function makeBusy(page: Page, retryAfter: number) {
  const server = { busy: true, refused: 0 }
  await page.route('**/api/marketplace/offers', async (route) => {
    // Without an upper bound, it is the confirmation that asks for the terms.
    if (!server.busy || !route.request().postData()?.includes('maxLamports')) return route.continue()
    server.refused += 1
    return route.fulfill({ status: 503, headers: { 'retry-after': String(retryAfter) }, json: { error: BUSY, code: 'CHAIN_BUSY' } })
  })
  return server
}

async function buy(page: Page, seller: string) {
  const listing = await findListing(page, seller)
  await listing.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  return listing
}

function attention(page: Page) {
  return page.getByRole('region', { name: 'Needs attention' })
}
