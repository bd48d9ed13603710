import { type Page, type Route } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expect, findListing, test } from './support/test.ts'

test('the buyer may go on browsing once the payment is sent, and its steps survive a reload', async ({ signedIn, trader }) => {
  test.slow()
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 2, 0.2)
  const { page } = await signedIn({ sol: 1 })
  const payment = await holdBackDelivery(page)

  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  const submitted: Route[] = []
  await page.route('**/api/marketplace/payments', (route) => void submitted.push(route))
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  const progress = page.getByRole('status').filter({ hasText: 'Processing' })
  await expect.poll(() => submitted.length).toBe(1)
  await expect(page.getByRole('listitem').filter({ hasText: 'Approve in your wallet' })).toContainText('done')
  await expect(page.getByRole('listitem').filter({ hasText: 'Sent' })).toHaveAttribute('aria-current', 'step')
  await submitted[0]?.continue()
  await expect(page.getByRole('listitem').filter({ hasText: 'Sent' })).toContainText('done')
  await expect(page.getByRole('listitem').filter({ hasText: 'Confirmed' })).toHaveAttribute('aria-current', 'step')
  await page.getByRole('button', { name: 'Keep browsing' }).click()
  await expect(progress).toHaveCount(0)
  await page.getByPlaceholder('Search...').fill('')

  const attention = page.getByRole('region', { name: 'Needs attention' })
  await page.reload()
  await expect(attention).toContainText('2 Grape Soda for 0.2 SOL')
  await expect(attention).toContainText('Payment under way: Sent')
  payment.stage = 'confirmed'
  await expect(attention).toContainText('Payment under way: Confirmed')
  payment.stage = 'delivered'
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect(attention).toBeHidden()
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: '2 Grape Soda' })).toContainText('Delivered')
  // A poll of the app may be under way.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('the countdown follows when an outage has extended the time to pay', async ({ signedIn, trader }) => {
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', 2, 0.2)
  const { page } = await signedIn({ sol: 1, sendsByItself: true })
  await page.route('**/rpc', (route) => (route.request().postData()?.includes('getLatestBlockhash') ? undefined : route.continue()))
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(page.getByText(/Reserved for you for another 0:5\d/)).toBeVisible()
  await page.route('**/api/marketplace/my-purchases?*status=held*', async (route: Route) => {
    const response = await route.fetch()
    const { purchases } = (await response.json()) as { purchases: { payMillisLeft: number }[] }
    const extended = purchases.map((purchase) => ({ ...purchase, payMillisLeft: purchase.payMillisLeft + 45_000 }))
    await route.fulfill({ response, json: { purchases: extended, nextCursor: null } })
  })
  await expect(page.getByText(/Reserved for you for another 1:[34]\d/)).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

/** Shows the app a slow network: the purchase is at `stage` for it, however far it really is. */
async function holdBackDelivery(page: Page) {
  const payment = { stage: 'sent' }
  let paid: object | undefined
  const asHeld = (purchase: object) => ({ ...purchase, status: 'held', stage: payment.stage, settledAt: null })
  await page.route(/\/api\/marketplace\/purchases\/[^/]+$/, async (route: Route) => {
    const response = await route.fetch()
    if (payment.stage === 'delivered') return route.fulfill({ response })
    const { purchase } = (await response.json()) as { purchase: object }
    paid = purchase
    return route.fulfill({ response, json: { purchase: asHeld(purchase) } })
  })
  await page.route('**/api/marketplace/my-purchases?*status=held*', async (route: Route) => {
    if (payment.stage === 'delivered' || !paid) return route.continue()
    return route.fulfill({ json: { purchases: [asHeld(paid)], nextCursor: null } })
  })
  return payment
}
