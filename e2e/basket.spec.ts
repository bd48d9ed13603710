import { type Page } from '@playwright/test'

import { list, remove } from './support/api-listing.ts'
import { banner, expect, findListing, LAMPORTS_PER_SOL, lamportsOf, test } from './support/test.ts'

const basket = (page: Page) => page.getByRole('region', { name: 'Basket' })

test.describe('a basket of two listings, of one of them a part', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('is bounded by what was shown, names what is gone, and keeps the rest', async ({ signedIn, trader, baseURL }) => {
    const [first, second, buyer] = [await trader({ sol: 1 }), await trader({ sol: 1 }), await signedIn({ sol: 1 })]
    const taken = await list(first, 'APPLE_JUICE', 2, 0.2, false)
    await list(second, 'APPLE_JUICE', 30, 0.3)
    const { page } = buyer
    await (await findListing(page, first.address)).getByRole('button', { name: 'Basket' }).click()
    await (await findListing(page, second.address)).getByRole('button', { name: 'Buy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm your purchase' })
    await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('10')
    await expect(dialog.getByRole('button', { name: 'Pay 0.1 SOL' })).toBeEnabled()
    await dialog.getByRole('button', { name: 'Add to basket' }).click()
    await expect(basket(page).getByRole('button', { name: 'Pay 0.3 SOL' })).toBeVisible()

    await page.reload()
    await expect(basket(page)).toContainText('2 listings')
    // The listing goes in the moment in which it is ordered.
    const orders = '**/api/marketplace/offers'
    await page.route(orders, async (route) => {
      await remove(first, taken)
      await route.continue()
    })
    await basket(page).getByRole('button', { name: 'Pay 0.3 SOL' }).click()
    await expect(banner(page)).toContainText(
      /^Someone else was faster\. Your payment was not sent\. 2 Apple Juice of \w{8}…: This listing is no longer for sale\./,
    )
    await expect(basket(page)).toContainText('1 left out')
    expect(await lamportsOf(baseURL ?? '', buyer.address)).toBe(LAMPORTS_PER_SOL)
    await page.unroute(orders)

    const request = page.waitForRequest(orders)
    await basket(page).getByRole('button', { name: 'Pay 0.1 SOL' }).click()
    expect((await request).postDataJSON()).toMatchObject({ items: [{ amount: 10 }], maxLamports: '100000000' })
    await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
    await expect.poll(() => lamportsOf(baseURL ?? '', second.address)).toBe(1.1 * LAMPORTS_PER_SOL)
    await expect(page.getByRole('article').filter({ hasText: second.address.slice(0, 8) })).toContainText('Amount20')
  })
})

test('what is collected before the basket is there is in it, and in it after a reload', async ({ signedIn, trader }) => {
  const [seller, { page }] = [await trader({ sol: 0 }), await signedIn({ sol: 0 })]
  await list(seller, 'GRAPE_SODA', 3, 0.9)
  let press = () => {}
  const pressed = new Promise<void>((resolve) => (press = resolve))
  await page.route(/\/assets\/player/, (route) => pressed.then(() => route.continue()))
  await page.reload()
  await (await findListing(page, seller.address)).getByRole('button', { name: 'Basket' }).click()
  press()
  await expect(basket(page)).toContainText('1 listing')
  await page.reload()
  await expect(basket(page)).toContainText('1 listing')
})

test.describe('a basket whose part of the page cannot be loaded', () => {
  test.use({ allowedErrors: /Failed to (load resource|fetch dynamically)|net::ERR_FAILED/ })

  test('says so when something is put in', async ({ signedIn, trader }) => {
    const [seller, { page }] = [await trader({ sol: 0 }), await signedIn({ sol: 0 })]
    await list(seller, 'GRAPE_SODA', 3, 0.9)
    await page.route(/\/assets\/player/, (route) => route.abort())
    await page.reload()
    await (await findListing(page, seller.address)).getByRole('button', { name: 'Basket' }).click()
    await expect(banner(page)).toContainText('This part of the page could not be shown.')
  })
})

test('a listing that is sold or removed is marked in the basket at once', async ({ signedIn, trader }) => {
  const [seller, buyer] = [await trader({ sol: 0 }), await signedIn({ sol: 0 })]
  const listing = await list(seller, 'GRAPE_SODA', 3, 0.9)
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Basket' }).click()
  await expect(basket(buyer.page).getByRole('button', { name: 'Pay 0.9 SOL' })).toBeEnabled()
  await remove(seller, listing)
  await expect(basket(buyer.page)).toContainText('1 left out')
  await expect(basket(buyer.page).getByRole('button', { name: 'Nothing to pay' })).toBeDisabled()
})
