import { type Reply } from '@juicebar/contract/calls'
import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { overflow } from './support/layout.ts'
import { expectAccessible } from './support/accessible.ts'
import { withoutFirstView } from './support/first-view.mjs'
import { holdByHand, listingsOf, payHold } from './support/pay-by-hand.ts'
import { expect, fullOnly, test } from './support/test.ts'

type Sale = Reply<'trades'>['trades'][number]

const PAGE = 50

/** So many sales, the newest last. */
function salesOf(count: number, given: Partial<Sale> = {}): Sale[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `01a1f7f0-0000-4000-8000-${String(n).padStart(12, '0')}.01`,
    tokenType: n % 2 ? 'GRAPE_SODA' : 'APPLE_JUICE',
    amount: n + 1,
    price: (n + 1) / 100,
    unitPrice: 0.01,
    lamports: String((n + 1) * 10_000_000),
    feeLamports: '0',
    coSigned: true,
    signature: `${n}`.padStart(88, 'a'),
    settledAt: new Date(Date.UTC(2030, 0, 1) + n * 1_000).toISOString(),
    ...given,
  }))
}

/** Answers with pages of these sales, in place of the server; `sales` may be changed. */
async function replaceSales(page: Page, sales: Sale[]): Promise<void> {
  await page.route('**/api/marketplace/trades*', (route) => {
    const asked = new URL(route.request().url()).searchParams
    const kept = sales.filter(({ tokenType }) => !asked.has('tokenType') || asked.get('tokenType') === tokenType).reverse()
    const from = Number(asked.get('cursor') ?? 0)
    const end = from + PAGE
    return route.fulfill({ json: { trades: kept.slice(from, end), nextCursor: kept.length > end ? String(end) : null } })
  })
}

const rows = (page: Page) => page.getByRole('group', { name: 'Latest sales' }).getByRole('listitem')
const open = (page: Page) => page.getByText('Activity', { exact: true }).click()

/** What makes the page ask again, as it does while its stream is down. */
async function renew(page: Page): Promise<void> {
  const asked = page.waitForResponse('**/api/marketplace/trades*')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await asked
}

test('what is sold appears at once, to visitors too, and nothing below it moves', async ({ trader, page }) => {
  test.slow()
  const seller = await trader({ sol: 1 })
  await list(seller, 'APPLE_JUICE', 40, 0.4)
  const buyer = await trader({ sol: 1 })
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/trades') && asked.push(request.url()))
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
  expect(asked).toEqual([])
  await open(page)
  await expect(page.locator('details').getByText(/was sold yet|so far/)).toBeVisible()
  const board = page.getByRole('article').first().locator('xpath=ancestor::ul')
  const before = await board.boundingBox()

  const [listing] = await listingsOf(buyer, seller.address)
  await payHold(buyer, await holdByHand(buyer, [{ listingId: listing?._id ?? '', amount: 17 }]))
  const row = rows(page).filter({ hasText: '17 Apple Juice' })
  await expect(row).toContainText('0.17 SOL')
  await expect(row).toContainText('0.01 each')
  await expect(row.locator('time')).toHaveText(/^(just now|\d+ s ago)$/)
  expect((await board.boundingBox())?.y).toBe(before?.y)

  await page.getByRole('radio', { name: 'Grape Soda' }).check({ force: true })
  await expect(page.locator('details').getByText('No Grape Soda was sold yet.')).toBeVisible()
  await page.getByRole('radio', { name: 'Apple Juice' }).check({ force: true })
  await expect(row).toBeVisible()
})

test('older sales come page by page, and newer ones wait for whoever reads below', async ({ page }) => {
  const sales = salesOf(120)
  await replaceSales(page, sales)
  await page.goto('/')
  await open(page)
  await expect(rows(page)).toHaveCount(50)
  await expect(rows(page).first()).toContainText('120 Grape Soda')
  const feed = page.getByRole('group', { name: 'Latest sales' })
  await feed.focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Show older' }).press('Enter')
  await expect(rows(page)).toHaveCount(100)
  await page.getByRole('button', { name: 'Show older' }).press('Enter')
  await expect(rows(page)).toHaveCount(120)
  await expect(feed).toContainText('No older sales.')

  const read = rows(page).filter({ hasText: '60 Grape Soda' })
  await read.scrollIntoViewIfNeeded()
  const before = await read.boundingBox()
  sales.push(...salesOf(122).slice(120))
  await renew(page)
  const more = page.getByRole('button', { name: '2 new sales' })
  await expect(more).toBeVisible()
  expect(await read.boundingBox()).toEqual(before)
  await expectAccessible(page)
  await more.press('Enter')
  await expect(rows(page)).toHaveCount(122)
  await expect(rows(page).first()).toContainText('122 Grape Soda')
  await expect(more).toHaveCount(0)
})

test('a sale that the chain has undone leaves the list', async ({ page }) => {
  const sales = salesOf(3)
  await replaceSales(page, sales)
  await page.goto('/')
  await open(page)
  await expect(rows(page)).toHaveCount(3)
  sales.splice(1, 1)
  await renew(page)
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByText('2 Grape Soda')).toHaveCount(0)
})

test('how long ago stays true, and links go to the explorer of the chain', async ({ page }) => {
  await page.clock.install({ time: new Date('2030-01-01T00:00:02.000Z') })
  // By the server's clock, prices of that day lie ahead.
  await page.route('**/api/marketplace/candles*', (route) => route.fulfill({ json: { candles: [] } }))
  await withoutFirstView(page)
  await page.route('**/api/config', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ json: { ...((await reply.json()) as object), network: 'devnet' } })
  })
  await replaceSales(page, salesOf(1))
  await page.goto('/')
  await open(page)
  const time = rows(page).locator('time')
  await expect(time).toHaveText(/^\d+ s ago$/)
  await page.clock.pauseAt('2030-01-01T00:00:50.000Z')
  await expect(time).toHaveText('50 s ago')
  await page.clock.runFor(10_000)
  await expect(time).toHaveText('1 min ago')
  await page.clock.fastForward('03:00:00')
  await expect(time).toHaveText('3 h ago')
  const link = rows(page).getByRole('link')
  await expect(link).toHaveAttribute('href', `https://explorer.solana.com/tx/${'0'.padStart(88, 'a')}?cluster=devnet`)
})

test.describe('when it cannot be asked for', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('a failure is told, and never looks as if nothing was sold', async ({ page }) => {
    const sales = salesOf(4)
    await replaceSales(page, sales)
    // No sale of another test makes the page ask again by itself.
    await page.route('**/api/marketplace/events', () => undefined)
    let isDown = true
    await page.route('**/api/marketplace/trades*', (route) =>
      isDown ? route.fulfill({ status: 400, json: { error: 'No.', code: 'BAD_REQUEST' } }) : route.fallback(),
    )
    await page.goto('/')
    await open(page)
    await expect(page.locator('details')).toContainText('What was sold could not be loaded.')
    await expectAccessible(page)
    isDown = false
    await page.locator('details').getByRole('button', { name: 'Try again' }).click()
    await expect(rows(page)).toHaveCount(4)
    isDown = true
    await renew(page)
    await expect(page.locator('details')).toContainText(/Newer sales could not be loaded\. As of (just now|\d+ s ago)\./)
    await expect(rows(page)).toHaveCount(4)
    await expectAccessible(page)
  })
})

for (const width of [320, 768, 1920]) {
  test(`it fits ${width} pixels, by day and by night`, fullOnly(width !== 320), async ({ openContext }) => {
    const page = await (await openContext({ viewport: { width, height: 900 } })).newPage()
    await replaceSales(page, salesOf(PAGE, { amount: 1_000_000_000, price: 999_999.999, unitPrice: 0.000999999 }))
    await page.goto('/')
    await open(page)
    await expect(rows(page)).toHaveCount(PAGE)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await overflow(page)).toBe(0)
      const feed = page.getByRole('group', { name: 'Latest sales' })
      expect(await feed.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0)
      await expectAccessible(page)
    }
  })
}
