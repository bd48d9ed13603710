import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { withoutFirstView } from '../../e2e/support/first-view.mjs'
import { root } from '../support/run.mjs'
import { ORIGIN, startMarket, untilDrawn } from './market.mjs'
import { showFigures, showTrades } from './made-up-trades.mjs'
import { approvePayment, prepare, settings } from './sheet-states.mjs'
import { sideBySide } from './side-by-side.mjs'

/**
 * @typedef {import('@playwright/test').Browser} Browser
 * @typedef {import('@playwright/test').Page} Page
 * @typedef {import('./sheet-states.mjs').Prepared} Prepared
 */

/**
 * @typedef {object} View A page, as it is when its picture is taken.
 * @property {{ width: number, height: number }} size
 * @property {'light' | 'dark'} scheme
 * @property {'visitor' | 'player' | 'staff'} who
 * @property {(page: Page, prepared: Prepared) => Promise<unknown>} open
 * @property {number} [scale] how large it is drawn; 1 by default
 */

const WIDE = { width: 1280, height: 800 }
const HIGH = { width: 1280, height: 1240 }
const PHONE = { width: 390, height: 844 }
const POP_UP = { width: 420, height: 720 }
/** At which two wide pages stand side by side. */
const HALF = 0.65
const OUTAGE_SECONDS = 20
const BUSY = { error: 'Many people are buying right now. Please try again in a moment.', code: 'CHAIN_BUSY' }

/**
 * What stands side by side in each picture of the docs.
 *
 * @type {Record<string, View[]>}
 */
const pictures = {
  market: [{ size: WIDE, scheme: 'dark', who: 'player', scale: 2, open: market }],
  visitor: [{ size: WIDE, scheme: 'light', who: 'visitor', open: market }],
  sell: [{ size: WIDE, scheme: 'dark', who: 'player', open: (page) => sell(page, '40', '9') }],
  purchase: [{ size: WIDE, scheme: 'dark', who: 'player', open: pay }],
  busy: [{ size: WIDE, scheme: 'light', who: 'player', open: payWhileBusy }],
  checkout: [
    { size: POP_UP, scheme: 'dark', who: 'player', open: checkout },
    { size: POP_UP, scheme: 'light', who: 'player', open: payCheckout },
  ],
  outage: [
    { size: WIDE, scheme: 'light', who: 'visitor', open: outage },
    { size: { ...PHONE, height: WIDE.height }, scheme: 'dark', who: 'visitor', open: outage },
  ],
  drink: [
    { size: HIGH, scheme: 'light', who: 'player', scale: PHONE.height / HIGH.height, open: candles },
    { size: PHONE, scheme: 'dark', who: 'player', open: line },
  ],
  inventory: [{ size: WIDE, scheme: 'dark', who: 'player', open: inventory }],
  phone: [
    { size: PHONE, scheme: 'light', who: 'player', open: market },
    { size: PHONE, scheme: 'light', who: 'player', open: confirm },
    { size: PHONE, scheme: 'dark', who: 'player', open: (page) => sell(page, '20', '0.11') },
    { size: PHONE, scheme: 'dark', who: 'player', open: alerts },
  ],
  desk: [
    { size: HIGH, scheme: 'light', who: 'staff', scale: HALF, open: desk },
    { size: HIGH, scheme: 'dark', who: 'staff', scale: HALF, open: desk },
  ],
}

/**
 * Draws the docs' pictures of the web app, from trades and figures that are made up: `docs/images/`. `--only` draws one of them.
 *
 * @param {Browser} browser
 * @param {string[]} args
 */
export async function drawScreens(browser, args) {
  const { only } = parseArgs({ args, options: { only: { type: 'string' } } }).values
  const stop = await startMarket(settings)
  try {
    const prepared = await prepare(browser)
    for (const [name, views] of Object.entries(pictures).filter(([name]) => only === undefined || name === only)) {
      const drawn = []
      for (const view of views) drawn.push(await take(browser, view, prepared))
      await writeFile(join(root, 'docs', 'images', `${name}.webp`), await sideBySide(browser, drawn))
    }
  } finally {
    await stop()
  }
}

/**
 * @param {Browser} browser
 * @param {View} view
 * @param {Prepared} prepared
 */
async function take(browser, { size, scheme, who, open, scale = 1 }, prepared) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    deviceScaleFactor: 2,
    ...(who !== 'visitor' && { storageState: prepared[who] }),
  })
  try {
    const page = await context.newPage()
    // What it shows is made up, also where the server renders it.
    await withoutFirstView(page)
    await showTrades(page)
    await open(page, prepared)
    await page.mouse.move(0, 0)
    await untilDrawn(page)
    const png = await page.screenshot()
    return { png, width: Math.round(size.width * scale), height: Math.round(size.height * scale) }
  } finally {
    await context.close()
  }
}

/** @param {Page} page */
async function market(page) {
  await page.goto(`${ORIGIN}/?sort=oldest`)
  await page.getByRole('article').first().waitFor()
  await connect(page)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.locator('.prices:not(.breathe)').waitFor()
}

/**
 * Connects the wallet of whoever is signed in.
 *
 * @param {Page} page
 */
async function connect(page) {
  const button = page.getByRole('button', { name: 'Connect', exact: true })
  await button.or(page.getByRole('button', { name: 'Select Wallet' })).waitFor()
  if (!(await button.isVisible())) return
  await button.click()
  await page.getByRole('button', { name: /^\w{4}\.\.\w{4}$/ }).waitFor()
}

/** @param {Page} page */
async function confirm(page) {
  await market(page)
  await page.getByRole('button', { name: 'Buy', exact: true }).first().click()
  await page.getByRole('button', { name: /^Pay / }).waitFor()
}

/**
 * The wallet has signed, and the payment is on its way to the market.
 *
 * @param {Page} page
 */
async function pay(page) {
  await page.route('**/api/marketplace/payments', () => undefined)
  await confirm(page)
  await approvePayment(page)
  await page.locator('[aria-current=step]', { hasText: 'Sent' }).waitFor()
}

/** @param {Page} page */
async function payWhileBusy(page) {
  await page.route('**/api/marketplace/offers', (route) =>
    // Without an upper bound, it is the confirmation that asks for the terms.
    route.request().postData()?.includes('maxLamports')
      ? route.fulfill({ status: 503, headers: { 'retry-after': '7' }, json: BUSY })
      : route.continue(),
  )
  await confirm(page)
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.getByText('Nothing was held, and no SOL moved.').waitFor()
}

/**
 * @param {Page} page
 * @param {Prepared} prepared
 */
async function checkout(page, { checkouts }) {
  await page.goto(`${ORIGIN}${checkouts['open']}`)
  await page.getByRole('button', { name: /^Pay / }).waitFor()
}

/**
 * @param {Page} page
 * @param {Prepared} prepared
 */
async function payCheckout(page, prepared) {
  await page.route('https://game.example/**', () => undefined)
  await checkout(page, prepared)
  await approvePayment(page)
  await page.getByRole('button', { name: /^Back to/ }).waitFor()
}

/**
 * The cards of a market whose database has been away for a while.
 *
 * @param {Page} page
 */
async function outage(page) {
  await page.route('**/health', (route) => route.fulfill({ status: 503, json: { status: 'down', database: 'down', chain: 'ok' } }))
  await page.route('**/api/marketplace/listings?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), age: String(OUTAGE_SECONDS) } })
  })
  await page.goto(ORIGIN)
  await page.locator('.as-of-bar').waitFor()
  const card = page.getByRole('article').first()
  await card.evaluate((shown) => scrollTo(0, scrollY + shown.getBoundingClientRect().top - 200))
}

/** @param {Page} page */
async function drink(page) {
  await page.goto(`${ORIGIN}/drink/GRAPE_SODA`)
  await connect(page)
  await page.getByRole('slider', { name: /^Price of/ }).waitFor()
  await page.getByRole('group', { name: 'How far back' }).getByText('Week', { exact: true }).click()
}

/** @param {Page} page */
async function candles(page) {
  await drink(page)
  await page.getByRole('group', { name: 'Drawn as' }).getByText('Candles', { exact: true }).click()
}

/** @param {Page} page */
async function line(page) {
  await drink(page)
  await page.getByRole('group', { name: 'How far back' }).evaluate((group) => scrollTo(0, group.getBoundingClientRect().top - 220))
}

/** @param {Page} page */
async function inventory(page) {
  await market(page)
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').nth(2).waitFor()
}

/**
 * @param {Page} page
 * @param {string} amount
 * @param {string} price
 */
async function sell(page, amount, price) {
  await inventory(page)
  await page.getByRole('article').nth(1).getByRole('button', { name: 'Sell' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Token Amount').fill(amount)
  await dialog.getByLabel('Price (SOL)').fill(price)
  await dialog.getByText(/Yours would be|above the lowest price/).waitFor()
}

/** @param {Page} page */
async function alerts(page) {
  await drink(page)
  await page.getByRole('button', { name: 'Tell me about Grape Soda' }).click()
  const dialog = page.getByRole('dialog')
  for (const price of ['0.004', '0.0032', '0.02']) {
    await dialog.getByLabel('Unit price at or below (SOL)').fill(price)
    await dialog.getByRole('button', { name: 'Tell me', exact: true }).click()
    const alert = dialog.getByRole('listitem').filter({ hasText: `at ${price} SOL` })
    await alert.waitFor()
  }
}

/** @param {Page} page */
async function desk(page) {
  await showFigures(page)
  // Nobody answers for the one that the market was given.
  await page.route('**/api/studio/webhooks', (route) => route.fulfill({ json: { webhooks: [] } }))
  await page.goto(`${ORIGIN}/studio#today`)
  await page.getByRole('heading', { name: 'Sales per day' }).waitFor()
}
