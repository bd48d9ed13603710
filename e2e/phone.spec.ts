import { type BrowserContextOptions, type Locator } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expect, fullOnly, sell, signIn, test } from './support/test.ts'

const PHONE_HEIGHT = 700

for (const width of [320, 390]) {
  test.describe(`a phone of ${width} pixels`, fullOnly(width !== 320), () => {
    test('shows the product’s name, the balance and every tab once signed in', async ({ openContext, signedIn }) => {
      const { page } = await signedIn({ profile: await openContext(phone(width)), sol: 0 })
      const header = page.getByRole('banner')
      const parts = [
        header.getByText('Juicebar'),
        header.getByText(/^SOL balance [\d.]+ SOL$/),
        header.getByRole('button', { name: 'Logout' }),
        header.getByRole('button', { name: /\.\./ }),
        ...(await header.getByRole('tab').all()),
      ]
      for (const part of parts) await expectUncovered(part)
      expect(await header.evaluate(scrollers)).toEqual([])
    })

    test('shows a visitor the whole name', async ({ openContext, openPlayer }) => {
      const { page } = await openPlayer({ profile: await openContext(phone(width)), sol: 0 })
      const name = page.getByRole('heading', { name: 'Juicebar Marketplace' })
      await expect(name).toBeVisible()
      expect(await name.evaluate(scrollers)).toEqual([])
    })

    test('has its views within reach of a thumb, below everything else', async ({ openContext, openPlayer }) => {
      const { page } = await openPlayer({ profile: await openContext(phone(width)), sol: 0 })
      await expect(page.getByRole('button', { name: 'Select Wallet' })).toBeVisible()
      // A visitor's only view is not seen.
      const isSeen = (views: Element) => views.contains(document.elementFromPoint(innerWidth / 2, innerHeight - 10))
      expect(await page.locator('.views').evaluate(isSeen)).toBe(false)
      await signIn(page)
      const views = page.getByRole('banner').getByRole('tab')
      for (const view of [...(await views.all()), page.getByRole('button', { name: 'Logout' })]) {
        const { y = 0, width: wide = 0, height = 0 } = (await view.boundingBox()) ?? {}
        expect(y).toBeGreaterThan(PHONE_HEIGHT - 60)
        expect(Math.min(wide, height)).toBeGreaterThanOrEqual(44)
      }
      const card = page
        .getByRole('article')
        .filter({ has: page.getByRole('button', { name: 'Basket', exact: true }) })
        .first()
      const gather = card.getByRole('button', { name: 'Basket', exact: true })
      await gather.evaluate((button) => button.scrollIntoView({ block: 'center' }))
      for (const fact of await card.getByRole('definition').all()) await expectUncovered(fact)
      await gather.click()
      await expectUncovered(page.getByRole('region', { name: 'Basket' }).getByRole('button', { name: /^Pay/ }))
      await views.getByText('Inventory').click()
      await expect(page.getByRole('button', { name: 'Sell' }).first()).toBeVisible()
      await expect(page.getByText('No purchases yet.')).toBeVisible()
      await page.getByRole('contentinfo').evaluate((footer) => footer.scrollIntoView({ block: 'end' }))
      await expectUncovered(page.getByRole('link', { name: 'Licences' }))
    })

    test('scrolls nothing sideways in My Listings', async ({ openContext, signedIn }) => {
      const { page } = await signedIn({ profile: await openContext(phone(width)), sol: 0 })
      await sell(page, 'Orange Juice', 1, 0.5)
      await page.getByRole('tab', { name: 'My Listings' }).click()
      await expect(page.getByRole('button', { name: 'Remove' })).toBeVisible()
      expect(await page.getByRole('tabpanel').evaluate(scrollers)).toEqual([])
      for (const status of await page.getByRole('group', { name: 'Status' }).locator('label').all()) await expectUncovered(status)
    })

    test('shows short messages where they cover neither the search nor a dialog’s buttons', async ({ openContext, signedIn }) => {
      const { page } = await signedIn({ profile: await openContext(phone(width)), sol: 0 })
      await page.getByRole('tab', { name: 'Inventory' }).click()
      await page.getByRole('button', { name: 'Sell' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
      await dialog.getByLabel('Token Amount').press('Enter')
      await expect(page.getByRole('alert')).toHaveText('Fill in all fields')
      for (const button of ['Cancel', 'List Item']) await expectUncovered(dialog.getByRole('button', { name: button }))
      await dialog.getByLabel('Token Amount').fill('1')
      await dialog.getByLabel('Price (SOL)').fill('0.5')
      await dialog.getByRole('button', { name: 'List Item' }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'Listing created successfully!' })).toBeVisible()
      await expect(dialog).toBeHidden()
      await page.getByRole('tab', { name: 'Market' }).click()
      await expectUncovered(page.getByPlaceholder('Search...'))
      await expect(page.getByRole('alert').filter({ hasText: 'Listing created successfully!' })).toBeVisible()
    })
  })
}

/** How much of a listing's card tells what it is. */
const CARD_TOP = 100

test.describe('the market on a phone', () => {
  const profile = { viewport: { width: 390, height: 844 }, hasTouch: true }

  test('shows a visitor and a player a listing in the first screen', async ({ openContext, openPlayer }) => {
    const { page } = await openPlayer({ profile: await openContext(profile), sol: 0 })
    const views = page.locator('.views')
    const expectListing = async () => {
      await expect(page.getByRole('region', { name: 'Prices' }).getByRole('link').first()).toContainText('SOL')
      // A card glides to its place if another test has just listed something.
      await expect
        .poll(async () => {
          const { y = Infinity } = (await page.getByRole('article').first().boundingBox()) ?? {}
          return y + CARD_TOP - ((await views.boundingBox())?.y ?? 0)
        })
        .toBeLessThan(0)
    }
    await expect(page.getByRole('button', { name: 'Choose a wallet' })).toBeInViewport({ ratio: 1 })
    await expectListing()
    await signIn(page)
    await expectListing()
  })

  test('has the button to buy a drink in the first screen of its page', async ({ openContext, openPlayer, trader }) => {
    await list(await trader({ sol: 0 }), 'GRAPE_SODA', 3, 0.04)
    const { page } = await openPlayer({ profile: await openContext(profile), sol: 0 })
    const buy = page.getByRole('button', { name: /^Buy [\d,]+ for/ })
    await page.goto('/drink/GRAPE_SODA')
    await expectUncovered(buy)
    await signIn(page)
    await expect(page.getByText(/^You have \d/)).toBeVisible()
    await expectUncovered(buy)
  })

  test('keeps search, order and drinks at hand while it scrolls', async ({ openContext }) => {
    const page = await (await openContext(profile)).newPage()
    await page.goto('/')
    const last = page.getByRole('article').last()
    await expect(last).toBeVisible()
    await last.evaluate((card) => card.scrollIntoView({ block: 'center' }))
    const parts = [page.getByPlaceholder('Search...'), page.getByLabel('Order'), page.locator('.chip', { hasText: 'All' })]
    for (const part of parts) await expectUncovered(part)
    expect((await page.getByRole('search').boundingBox())?.height).toBeLessThan(120)
  })
})

function phone(width: number): BrowserContextOptions {
  return { viewport: { width, height: PHONE_HEIGHT }, hasTouch: true }
}

/** Fails unless the whole element is in the window with nothing above its middle and its ends. */
async function expectUncovered(part: Locator): Promise<void> {
  await expect(part).toBeInViewport({ ratio: 1 })
  await expect
    .poll(() =>
      part.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const middle = (top + bottom) / 2
        return [left + 3, (left + right) / 2, right - 3].map((x) => {
          const found = document.elementFromPoint(x, middle)
          return found !== null && (element.contains(found) || found.contains(element))
        })
      }),
    )
    .toEqual([true, true, true])
}

/** The elements inside this one whose content is wider than they are, apart from text for screen readers alone. */
function scrollers(root: Element): string[] {
  return [...root.querySelectorAll('*')]
    .filter(
      (element) =>
        element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && getComputedStyle(element).display !== 'inline',
    )
    .map((element) => element.outerHTML.slice(0, 120))
}
