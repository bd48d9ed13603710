import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import { type Page } from '@playwright/test'

import { live, withoutFirstView } from './support/first-view.mjs'
import { expectAccessible, expectAccessibleByDayAndNight } from './support/accessible.ts'
import { list } from './support/api-listing.ts'
import { expectShifts, overflow, watchShifts } from './support/layout.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { holdByHand, payHold } from './support/pay-by-hand.ts'
import { expect, fullOnly, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 11
const origin = `http://localhost:${port}`

test.use({ baseURL: origin })
// What is traded stays traded: first there is none, then one, then more.
test.describe.configure({ mode: 'serial' })

let server: OwnServer

test.beforeAll(async () => void (server = await startOwnServer(port)))
test.afterAll(() => server.stop())

const SODA = '/drink/GRAPE_SODA'
/** The most that whoever opens a drink's page downloads for it, in bytes of JavaScript compressed with gzip. */
const MAX_PAGE_BYTES = 25_000

const chart = (page: Page) => page.getByRole('slider', { name: 'Price of Grape Soda' })
const lastTrades = (page: Page) => page.getByRole('region', { name: 'Last trades' })
const head = (page: Page) => page.getByRole('region', { name: 'Grape Soda', exact: true })
const prices = (page: Page) => page.getByRole('region', { name: 'Prices' })

/** Presses the label of a radio button, as people do. */
const choose = (page: Page, group: 'How far back' | 'Drawn as' | 'Drink', label: string) =>
  page.getByRole('group', { name: group }).getByText(label, { exact: true }).click()

/** One player sells to another, who pays on the chain. */
async function trade(seller: Trader, buyer: Trader, amount: number, price: number): Promise<void> {
  const listingId = await list(seller, 'GRAPE_SODA', amount, price)
  await payHold(buyer, await holdByHand(buyer, [{ listingId }]))
}

/** For a test that may run alone: the chart has a line once something was traded. */
async function tradeIfNobodyHas(page: Page, trader: (options: { sol: number }) => Promise<Trader>): Promise<void> {
  const trades = async () => {
    const reply = await page.request.get('/api/marketplace/trades?tokenType=GRAPE_SODA')
    return ((await reply.json()) as { trades: unknown[] }).trades.length
  }
  if ((await trades()) > 0) return
  await trade(await trader({ sol: 1 }), await trader({ sol: 3 }), 20, 0.02)
  await expect.poll(trades).toBe(1)
}

test('a drink that nobody has traded says so, at its own address', async ({ page }) => {
  await watchShifts(page)
  const reply = await page.goto(SODA)
  expect(reply?.status()).toBe(200)
  await expect(page.getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()
  await expect(page.getByText('Nobody has traded it yet')).toBeVisible()
  await expectShifts(page, { below: 0.01 })
  await expect(page.getByText('never sold')).toBeVisible()
  await expect(page.getByText('No trades yet.')).toBeVisible()
  const offers = page.getByRole('region', { name: 'For sale' })
  await expect(offers.getByRole('columnheader')).toHaveText(['Price (SOL)', 'For sale', 'Listings', 'Total'])
  await expect(offers.getByRole('row').nth(1)).toHaveText(/^0\.\d+/)
  await expect(page).toHaveTitle('Grape Soda · Juicebar Marketplace')
  await expect(page.getByRole('tab', { name: 'Market' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('article')).toHaveCount(0)
  await expectAccessibleByDayAndNight(page)
})

test('a trade arrives on the page while somebody looks at it, and on the market', async ({ page, openContext, trader }) => {
  test.slow()
  const market = await (await openContext()).newPage()
  await market.goto('/')
  await expect(prices(market).getByRole('link', { name: /Grape Soda/ })).toContainText('SOL')
  await page.goto(SODA)
  await expect(page.getByText('Nobody has traded it yet')).toBeVisible()
  await live(page)
  const seller = await trader({ sol: 1 })
  const buyer = await trader({ sol: 3 })
  await trade(seller, buyer, 20, 0.02)

  await expect(lastTrades(page).getByRole('listitem')).toHaveText(/^20 at 0\.0010\.02 SOL/, { timeout: 60_000 })
  await expect(
    head(page)
      .getByRole('definition')
      .filter({ hasText: /^0\.001 SOL$/ }),
  ).toBeVisible()
  await expect(chart(page)).toHaveAttribute('aria-valuetext', /: at 0\.001 SOL\. 20 for 0\.02 SOL in 1 trade\.$/)

  await trade(seller, buyer, 10, 0.02)
  await expect(lastTrades(page).getByRole('listitem')).toHaveCount(2, { timeout: 60_000 })
  await expect(head(page).getByText('no price a day ago')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Price over time' })).toContainText(/100% since the first trade/)
  await expect(lastTrades(page).getByRole('listitem').first()).toHaveText(/^10 at 0\.0020\.02 SOL/)
  await expect(chart(page)).toHaveAttribute('aria-valuetext', /0\.002/)
  const { trades } = (await (await page.request.get('/api/marketplace/trades?tokenType=GRAPE_SODA')).json()) as {
    trades: { signature: string }[]
  }
  await expect(lastTrades(page).getByTitle(trades[0]?.signature ?? '')).toBeVisible()
})

test('the change of a day is the same above the chart and in it', async ({ page, trader }) => {
  await tradeIfNobodyHas(page, trader)
  await withoutFirstView(page)
  await page.route('**/api/marketplace/summary', async (route) => {
    const { items } = (await (await route.fetch()).json()) as { items: object[] }
    await route.fulfill({ json: { items: items.map((item) => ({ ...item, change24h: 0.525 })) } })
  })
  await page.goto(SODA)
  await expect(head(page)).toContainText('up 52.5% in 24 hours')
  await expect(page.getByRole('region', { name: 'Price over time' })).toContainText('up 52.5% in the last 24 hours')
})

test('the chart is gone through with the keyboard, and has its numbers behind it', async ({ openContext }) => {
  // Wide enough for a step of an hour.
  const page = await (await openContext({ viewport: { width: 1920, height: 1000 } })).newPage()
  await page.route('**/api/marketplace/candles*', (route) => route.fulfill({ json: { candles: hours(20) } }))
  await page.goto(SODA)
  await choose(page, 'How far back', 'Week')
  await choose(page, 'Drawn as', 'Candles')
  await chart(page).focus()
  await page.keyboard.press('Home')
  await expect(chart(page)).toHaveAttribute('aria-valuenow', '1')
  await expect(chart(page)).toHaveAttribute(
    'aria-valuetext',
    /first 0\.004, highest 0\.0045, lowest 0\.0035, last 0\.0041 SOL\. 10 for 0\.04 SOL in 2 trades/,
  )
  await page.keyboard.press('ArrowRight')
  await expect(chart(page)).toHaveAttribute('aria-valuenow', '2')
  await page.keyboard.press('End')
  await expect(chart(page)).toHaveAttribute('aria-valuenow', '20')
  await page.keyboard.press('ArrowLeft')
  await expect(chart(page)).toHaveAttribute('aria-valuenow', '19')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Numbers' }).click()
  const rows = page.getByRole('region', { name: 'Price over time' }).getByRole('row')
  await expect(rows).toHaveCount(21)
  await expect(rows.nth(20)).toContainText('0.0040.00450.00350.0041100.042')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Numbers' }).click()
  await expect(chart(page)).toBeVisible()
})

test('the page opens from the market and back leads to where one was', async ({ page, context }) => {
  await page.goto('/')
  await live(page)
  await choose(page, 'Drink', 'Grape Soda')
  await page.getByLabel('Order').selectOption('price')
  const link = prices(page).getByRole('link', { name: /Grape Soda/ })
  await expect(link).toHaveAttribute('href', SODA)
  await page.evaluate(() => scrollTo(0, 300))
  const scrolled = await page.evaluate(() => scrollY)
  await link.evaluate((element) => (element as HTMLElement).click())
  await expect(page.getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()
  await expect(page).toHaveURL(SODA)
  await expect(page.getByRole('tabpanel')).toBeFocused()
  expect(await page.evaluate(() => scrollY)).toBe(0)

  await page.reload()
  await expect(page.getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(page).toHaveTitle('Juicebar Marketplace')
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled)
  await choose(page, 'Drink', 'Grape Soda')
  await page.getByLabel('Order').selectOption('price')
  await page.evaluate((to) => scrollTo(0, to), scrolled)
  await link.evaluate((element) => (element as HTMLElement).click())
  await expect(page.getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('Order')).toHaveValue('price')
  await expect(page.getByRole('radio', { name: 'Grape Soda' })).toBeChecked()
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled)

  const second = context.waitForEvent('page')
  await link.click({ modifiers: ['ControlOrMeta'] })
  await expect((await second).getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()
  await expect(page).toHaveURL('/?tokenType=GRAPE_SODA&sort=price')

  await link.click()
  await page.getByRole('tab', { name: 'Market' }).click()
  await expect(page).toHaveURL('/?tokenType=GRAPE_SODA&sort=price')
  await expect(page.getByRole('article').first()).toBeVisible()
})

test.describe('an address of nothing', () => {
  test.use({ allowedErrors: /404/ })

  test('is answered with 404 and a way back', async ({ page }) => {
    const reply = await page.goto('/drink/LEMONADE')
    expect(reply?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'There is no drink at this address' })).toBeVisible()
    await expect(page).toHaveTitle('Not found · Juicebar Marketplace')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to the market' }).click()
    await expect(page.getByRole('article').first()).toBeVisible()
  })

  test('that no page has is answered so, too, and back leads to it again', async ({ page }) => {
    const reply = await page.goto('/drinks')
    expect(reply?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'There is no page at this address' })).toBeVisible()
    await expect(page).toHaveTitle('Not found · Juicebar Marketplace')
    await expect(page.getByRole('article')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to the market' }).click()
    await expect(page.getByRole('article').first()).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('heading', { name: 'There is no page at this address' })).toBeVisible()
  })
})

test('the best price is bought and the drink is sold on its page', async ({ signedIn }) => {
  test.slow()
  const { page } = await signedIn({ sol: 5 })
  await prices(page)
    .getByRole('link', { name: /Grape Soda/ })
    .click()
  await page.getByRole('spinbutton', { name: 'How many' }).fill('2')
  await page.getByRole('button', { name: /^Buy 2 for/ }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible({ timeout: 60_000 })
  await expect(lastTrades(page).getByRole('listitem').first()).toContainText(/^2 at/)

  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
  await expect(dialog.getByText('Last sold for')).toBeVisible()
  await dialog.getByLabel('Token Amount').fill('1')
  await dialog.getByLabel('Price (SOL)').fill('100')
  await expect(dialog.locator('div', { hasText: /^For sale at a lower price\d/ })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Price (SOL)').fill('0.001')
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Listing created successfully!' }).last()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Grape Soda', exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Inventory' }).click()
  await expect(page).toHaveURL('/')
  await expect(
    page.getByText(/^Worth about [\d.,]+ SOL, an estimate at the lowest prices that are asked now, your own included\./),
  ).toBeVisible()
  await expect(page.getByRole('article').filter({ hasText: 'Grape Soda' })).toContainText(/about [\d.,]+ SOL/)
})

for (const [wish, name] of [
  ['sell', 'Sell'],
  ['be told of a price', 'Tell me about Grape Soda'],
] as const) {
  test(`a visitor who wants to ${wish} is led to a wallet`, async ({ page }) => {
    await page.goto(SODA)
    await page.getByRole('button', { name, exact: true }).click()
    await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
  })
}

test.describe('when figures cannot be had', () => {
  test.use({ allowedErrors: /Failed to load resource|Failed to fetch dynamically imported module|ERR_/ })

  test('each says so, and is asked for again', async ({ page }) => {
    await page.route(/marketplace\/(?:candles|depth|trades|summary)/, (route) => route.fulfill({ status: 400, json: { error: 'No.' } }))
    await withoutFirstView(page)
    await page.goto(SODA)
    for (const what of ['The prices', 'The offers', 'The trades'])
      await expect(page.getByText(`${what} could not be loaded.`)).toBeVisible()
    await expect(page.getByText('These figures could not be updated.')).toBeVisible()
    await expect(page.getByText('None for sale')).toHaveCount(0)
    await expectAccessible(page)
    await page.unroute(/marketplace\/(?:candles|depth|trades|summary)/)
    const again = page.getByRole('tabpanel').getByRole('button', { name: 'Try again' })
    for (let left = await again.count(); left > 0; left--) {
      await again.first().click()
      await expect(again).toHaveCount(left - 1)
    }
    await expect(chart(page)).toBeVisible()
  })

  test('a browser that goes offline keeps prices but no offers, and catches up', async ({ page, context }) => {
    await page.goto(SODA)
    await live(page)
    await expect(chart(page)).toBeVisible()
    await context.setOffline(true)
    await expect(page.getByText('Server Online')).toHaveCount(0)
    await choose(page, 'How far back', 'Month')
    await expect(page.getByText('You are offline. They will load when you are back online.').first()).toBeVisible()
    await context.setOffline(false)
    await expect(chart(page)).toBeVisible()
    await expect(page.getByText('Server Online')).toBeVisible()
    await expect(page.getByText('You are offline')).toHaveCount(0)
  })
})

test('what is downloaded for the page is little, and only when it is opened', async ({ page, trader }) => {
  await tradeIfNobodyHas(page, trader)
  const scripts: string[] = []
  page.on('request', (request) => /\/assets\/.*\.js$/.test(request.url()) && scripts.push(new URL(request.url()).pathname))
  await page.goto('/')
  await live(page)
  await expect(prices(page).getByRole('link', { name: /Grape Soda/ })).toBeVisible()
  // After the first touch everything that may be needed is downloaded, the last being what only players need, with what it imports.
  await page.mouse.move(100, 100)
  const players = () => scripts.find((path) => path.includes('/player-'))
  await expect.poll(players).toBeDefined()
  await page.evaluate((path) => import(path), players() ?? '')
  expect(scripts.join(' ')).not.toContain('/drink-')
  await prices(page)
    .getByRole('link', { name: /Grape Soda/ })
    .click()
  await expect(chart(page)).toBeVisible()
  const own = scripts.filter((path) => /\/(?:drink|figures)-/.test(path))
  expect(own).toHaveLength(2)
  const bytes = own.map((path) => gzipSync(readFileSync(new URL(`../web/dist${path}`, import.meta.url)), { level: 9 }).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_PAGE_BYTES)
})

for (const width of [320, 390, 768, 1280, 1920]) {
  test(`nothing is cut off or shifts at ${width} pixels`, fullOnly(width !== 320 && width !== 1280), async ({ openContext, trader }) => {
    const page = await (await openContext({ viewport: { width, height: 900 } })).newPage()
    await tradeIfNobodyHas(page, trader)
    await watchShifts(page)
    await page.goto('/')
    await expect(prices(page).getByRole('link').first()).toContainText('SOL')
    await live(page)
    await expectShifts(page, { below: 0.01 })
    expect(await overflow(page)).toBe(0)
    await page.goto(SODA)
    await expect(chart(page)).toBeVisible()
    await expect(lastTrades(page).getByRole('listitem').first()).toBeVisible()
    await expectShifts(page, { below: 0.01 })
    for (const range of ['Day', 'Week', 'Month', 'All']) {
      await choose(page, 'How far back', range)
      await expect(chart(page)).toBeVisible()
      expect(await overflow(page)).toBe(0)
    }
    await expectShifts(page, { below: 0.05 })
  })

  test(`nothing shifts for a player at ${width} pixels`, fullOnly(width !== 320 && width !== 1280), async ({ signedIn }) => {
    const { page } = await signedIn({ sol: 0 })
    await page.setViewportSize({ width, height: 900 })
    await watchShifts(page)
    await page.goto(SODA)
    await expect(page.getByText(/^You have /)).toBeVisible()
    await expect(page.getByText(/at once$/)).toBeVisible()
    await live(page)
    await expectShifts(page, { below: 0.01 })
  })
}

test('nothing on a phone moves when the best price comes late', async ({ openContext }) => {
  const page = await (await openContext({ viewport: { width: 390, height: 900 } })).newPage()
  await watchShifts(page)
  await withoutFirstView(page)
  let answer = () => {}
  const asked = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/quote?*', async (route) => {
    await asked
    await route.continue()
  })
  await page.goto(SODA)
  await live(page)
  await expect(page.getByRole('button', { name: 'Buy', exact: true })).toBeDisabled()
  answer()
  await expect(page.getByRole('button', { name: /^Buy \d+ for/ })).toBeEnabled()
  await expectShifts(page, { below: 0.01 })
})

/** An hour each, the last of them under way. */
function hours(count: number) {
  const hour = 3_600_000
  const last = Math.floor(Date.now() / hour) * hour
  return Array.from({ length: count }, (_, index) => ({
    start: new Date(last - (count - 1 - index) * hour).toISOString(),
    open: 0.004,
    high: 0.0045,
    low: 0.0035,
    close: 0.0041,
    amount: 10,
    sol: 0.04,
    trades: 2,
    average: 0.004,
  }))
}
