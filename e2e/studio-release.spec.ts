import { type Listing, type Purchase } from '@juicebar/contract/schemas'
import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { expect, findListing, test } from './support/test.ts'

test('a hold that only the studio can end says so to buyer, seller and visitors, and then why it was released', async ({ signedIn }) => {
  test.slow()
  const seller = await signedIn({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 2, 0.2)
  const { page } = await signedIn({ sol: 1 })
  const onMarket = await findListing(page, seller.address)
  await hold(page, seller.address)
  // A page that is loaded before the hold's event has gone round receives it afterwards, with the listing as it really is.
  await expect(onMarket.getByTitle('Another buyer is paying for this listing right now.')).toBeVisible()

  await answerWith(page, { purchase: { waitsForStudio: true, payMillisLeft: 0 }, listing: { waitsForStudio: true } })
  await page.goto('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText('so the studio decides. Do not pay now.')
  await expect(attention.getByRole('button')).toHaveCount(0)
  const card = await findListing(page, seller.address)
  await expect(card.getByTitle('The studio has to decide about this listing.')).toBeVisible()
  await expectAccessible(page)
  await answerWith(seller.page, { purchase: {}, listing: { waitsForStudio: true } })
  await seller.page.reload()
  await seller.page.getByRole('tab', { name: 'My Listings' }).click()
  await expect(seller.page.getByRole('listitem').filter({ hasText: 'Grape Soda' })).toContainText('The studio decides')

  const releaseReason = 'Both sides say there was none.'
  const released = { status: 'ended', endReason: 'released', releaseReason } as const
  await answerWith(page, { purchase: released, listing: { heldUntil: null } })
  await page.reload()
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(page.getByText(`Released by the studio: ${releaseReason}`)).toBeVisible()
  for (const opened of [page, seller.page]) await opened.unrouteAll({ behavior: 'ignoreErrors' })
})

/** Through the API, so that nobody pays. */
async function hold(page: Page, seller: string): Promise<void> {
  const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
  const found = await page.request.get(`/api/marketplace/listings?seller=${seller}`)
  const { listings } = (await found.json()) as { listings: Listing[] }
  const held = await page.request.post(`/api/marketplace/buy/${listings[0]?._id}`, { headers: { authorization: `Bearer ${jwt}` } })
  expect(held.ok()).toBe(true)
}

/** Shows the app what takes a chain hours to come to: the same purchases and listings, changed. */
async function answerWith(page: Page, { purchase, listing }: { purchase: Partial<Purchase>; listing: Partial<Listing> }): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' })
  await page.route('**/api/marketplace/my-purchases*', async (route) => {
    const response = await route.fetch()
    const { purchases, ...rest } = (await response.json()) as { purchases: Purchase[] }
    const wanted = new URL(route.request().url()).searchParams.get('status')
    const changed = purchases.map((one) => ({ ...one, ...purchase })).filter(({ status }) => wanted === null || wanted === status)
    await route.fulfill({ response, json: { ...rest, purchases: changed } })
  })
  await page.route(/\/api\/marketplace\/(my-)?listings/, async (route) => {
    const response = await route.fetch()
    const { listings, ...rest } = (await response.json()) as { listings: Listing[] }
    await route.fulfill({ response, json: { ...rest, listings: listings.map((one) => (one.heldUntil ? { ...one, ...listing } : one)) } })
  })
}
