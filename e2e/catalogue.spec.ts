import { fileURLToPath } from 'node:url'

import { type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { live } from './support/first-view.mjs'
import { holdScripts } from './support/hold-scripts.ts'
import { manyNames, writeManyItems } from './support/many-items.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { expect, findListing, fullOnly, type Player, sell, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210')
const BRAND_DIR = fileURLToPath(new URL('../examples/brand', import.meta.url))

const widths = [390, 1280]

/** Nothing is cut off at either side, on a phone and on a desk. */
async function expectFits(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 })
    // The board is laid out again once the browser says that it has another width.
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}

/** The pictures in an element, and whether they could be drawn. */
async function expectPictures(page: Page, selector: string, count: number): Promise<void> {
  const pictures = page.locator(`${selector} img`)
  await expect(pictures).toHaveCount(count)
  for (const picture of await pictures.all()) {
    await expect(picture).toHaveAttribute('src', /^\/files\/[a-z-]+\.[0-9a-f]+\.svg$/)
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  }
}

/** Sells some of an item to somebody who has found it by its seller. */
async function expectTraded(seller: Player, buyer: Player, name: string): Promise<void> {
  await sell(seller.page, name, 4, 0.2)
  await (await findListing(buyer.page, seller.address)).getByRole('button', { name: 'Buy' }).click()
  await expect(buyer.page.getByRole('dialog', { name: 'Confirm your purchase' })).toContainText(`4 ${name}`)
  await buyer.page.getByRole('button', { name: 'Pay 0.2 SOL' }).click()
  await expect(buyer.page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await buyer.page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(buyer.page.getByRole('article').filter({ hasText: name })).toContainText('54')
  await expect(buyer.page.getByRole('listitem').filter({ hasText: `4 ${name}` })).toContainText('Delivered')
}

test.describe('seven items of a studio', () => {
  test.describe.configure({ mode: 'serial' })
  test.use({ baseURL: `http://localhost:${port + 7}` })
  let server: OwnServer

  test.beforeAll(async () => {
    server = await startOwnServer(port + 7, { BRAND_DIR, CATALOGUE: `${BRAND_DIR}/catalogue.json` })
  })
  test.afterAll(() => server.stop())

  for (const colorScheme of ['light', 'dark'] as const) {
    test(
      `are side by side, with their own pictures and words, ${colorScheme}`,
      fullOnly(colorScheme === 'light'),
      async ({ openContext }) => {
        const page = await (await openContext({ colorScheme })).newPage()
        await page.goto('/')
        await expect(page.getByRole('article').first()).toBeVisible()
        await expectPictures(page, '.bar', 3)
        await expect(page.getByRole('group', { name: 'Item' }).getByRole('radio')).toHaveCount(8)
        await expect(page.getByText('Choose an item to buy any amount of it')).toBeVisible()
        await expect(page.locator('body')).not.toContainText(/drink|juice/i)
        await expectFits(page)
        await page.locator('.chip', { hasText: 'Comet Sabre' }).click()
        await expect(page.getByRole('heading', { name: 'Comet Sabre at the best price' })).toBeVisible()
        await expect(page.getByRole('article').filter({ hasNotText: 'Comet Sabre' })).toHaveCount(0)
        await expectFits(page)
        await expectAccessible(page)
        const color = await page
          .locator('article .dot')
          .first()
          .evaluate((dot) => getComputedStyle(dot).backgroundColor)
        expect(color).not.toBe(
          await page.locator('.chip[data-token=STAR_CHART] .dot').evaluate((dot) => getComputedStyle(dot).backgroundColor),
        )
        await page.goto('/drink/COMET_SABRE')
        await expect(page.getByRole('link', { name: 'All items' })).toBeVisible()
        await expect(page.getByRole('tabpanel')).not.toContainText(/drink|juice/i)
      },
    )
  }

  test('have one row of prices on a phone, which scrolls to those that find no room', async ({ openContext }) => {
    const page = await (await openContext({ viewport: { width: 390, height: 844 } })).newPage()
    const prices = page.getByRole('region', { name: 'Prices' })
    for (const [count, shown] of [
      [1, 1],
      [2, 2],
      [7, 6],
    ] as const) {
      await page.route(/:\d+\/$/, async (route) => {
        const html = await (await route.fetch()).text()
        const first = (list: string) => JSON.stringify((JSON.parse(list) as unknown[]).slice(0, count))
        await route.fulfill({
          contentType: 'text/html',
          // The server has rendered all seven.
          body: html
            .replace(' data-first-view>', '>')
            .replace(/"catalogue":(\[.*?\}\}\])/, (_, list: string) => `"catalogue":${first(list)}`),
        })
      })
      await page.goto('/')
      // What the server has rendered is not what is measured.
      await live(page)
      await expect(prices.getByRole('link')).toHaveCount(shown)
      expect((await prices.boundingBox())?.height).toBe(72)
      await prices.getByRole('link').last().focus()
      await expect(prices.getByRole('link').last()).toBeInViewport({ ratio: 1 })
      await page.unroute(/:\d+\/$/)
    }
  })

  test('with narrow pictures are in rows no higher than their text on a phone', async ({ signedIn }) => {
    const { page } = await signedIn({ sol: 0 })
    const narrow = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="200"><path d="M0 0h20v200H0z"/></svg>'
    await page.route('**/files/*.svg', (route) => route.fulfill({ contentType: 'image/svg+xml', body: narrow }))
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    await page.getByRole('tab', { name: 'Inventory' }).click()
    const rows = page.getByRole('article')
    await expect(rows).toHaveCount(7)
    for (const row of await rows.all()) {
      await expect.poll(() => row.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(200)
      expect((await row.boundingBox())?.height).toBeLessThan(150)
    }
  })

  test('are sold, bought and owned as drinks are', async ({ signedIn }) => {
    await expectTraded(await signedIn({ sol: 1 }), await signedIn({ sol: 1 }), 'Iron Teapot')
  })

  test('that came after a page was loaded have their names, and the page says how to see them', async ({ openPlayer }) => {
    const { page } = await openPlayer({ sol: 0 })
    await page.route(/:\d+\/$/, async (route) => {
      const newer = await (await route.fetch()).text()
      const older = newer.replace(/\{"code":"MOON_JASMINE".*?\}\},/, '').replace(' data-first-view>', '>')
      await route.fulfill({ contentType: 'text/html', body: older })
    })
    await page.reload()
    const card = page.getByRole('article').filter({ hasText: 'Moon Jasmine' }).first()
    await expect(card.getByRole('img', { name: 'MOON_JASMINE' })).toHaveAttribute('src', /unknown-item/)
    await page.getByRole('button', { name: 'Select Wallet' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Phantom/ })
      .click()
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await expect(page.getByRole('article')).toHaveCount(6)
    await page.unroute(/:\d+\/$/)
    await page.getByText('You have one new item').locator('..').getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await expect(page.getByRole('article')).toHaveCount(7)
  })
})

test.describe('two hundred items', () => {
  test.describe.configure({ mode: 'serial' })
  test.use({ baseURL: `http://localhost:${port + 8}` })
  let server: OwnServer
  let removeItems: () => void

  test.beforeAll(async () => {
    const { catalogue, remove } = writeManyItems()
    removeItems = remove
    server = await startOwnServer(port + 8, { CATALOGUE: catalogue })
  })
  test.afterAll(async () => {
    await server.stop()
    removeItems()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`are searched by name, with the keyboard alone, ${colorScheme}`, fullOnly(colorScheme === 'dark'), async ({ openContext }) => {
      const page = await (await openContext({ colorScheme })).newPage()
      await page.goto('/')
      await expect(page.getByRole('article').first()).toBeVisible()
      await expectPictures(page, '.bar', 3)
      await expectFits(page)
      await page.getByRole('button', { name: 'Item: All items' }).focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Choose an item' })
      await expect(dialog.getByRole('option')).toHaveCount(manyNames.length)
      await expect(dialog.getByRole('combobox', { name: 'Search the items' })).toBeFocused()
      await expectAccessible(page)
      await expectFits(page)
      await page.keyboard.type('hourgl')
      await expect(dialog.getByRole('option')).toHaveCount(20)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      const chosen = page.getByRole('button', { name: 'Item: Azure Hourglass' })
      await expect(chosen).toBeFocused()
      await expect(page.getByRole('heading', { name: 'Azure Hourglass at the best price' })).toBeVisible()
      await expect(page.getByRole('article')).toHaveCount(1)
      await expectFits(page)
      await expectAccessible(page)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('button', { name: 'Item: All items' })).toBeFocused()
      await expect.poll(() => page.getByRole('article').count()).toBeGreaterThan(1)
    })
  }

  test('are chosen with what is downloaded on its own, also when that comes late', async ({ page }) => {
    const { release } = await holdScripts(page, 'item-filter-*.js')
    await page.goto('/')
    await expect(page.locator('[data-first-view]')).toHaveCount(0)
    await page.getByRole('button', { name: 'Item: All items' }).click()
    release()
    await expect(page.getByRole('combobox', { name: 'Search the items' })).toBeVisible()
  })

  test('that are not there are told so, and Escape chooses nothing', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('button', { name: 'Item: All items' }).click()
    await page.getByRole('combobox', { name: 'Search the items' }).fill('grape soda')
    await expect(page.getByText('No item matches your search.')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Item: All items' })).toBeFocused()
  })

  test('are rows of the inventory, found by name, and traded', async ({ signedIn }) => {
    test.slow()
    const seller = await signedIn({ sol: 1 })
    await seller.page.getByRole('tab', { name: 'Inventory' }).click()
    const owned = seller.page.getByRole('article')
    await expect(owned).toHaveCount(manyNames.length)
    await expectFits(seller.page)
    await expectAccessible(seller.page)
    const search = seller.page.getByRole('searchbox', { name: 'Search your inventory' })
    await search.fill('jade')
    await expect(owned).toHaveCount(10)
    await search.fill('grape soda')
    await expect(seller.page.getByText('You have no item of that name.')).toBeVisible()
    await search.fill('')
    await expectTraded(seller, await signedIn({ sol: 1 }), 'Jade Sextant')
  })
})
