import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { root } from '../support/run.mjs'
import { ORIGIN, signInWithDemoWallet, startMarket, untilDrawn } from './market.mjs'
import { showTrades } from './made-up-trades.mjs'
import { sideBySide } from './side-by-side.mjs'

const WIDE = { width: 1280, height: 1240 }
const PHONE = { width: 390, height: 844 }
const SCALE = 0.68
const WIDE_OUTAGE = { width: 1280, height: 800 }
const OUTAGE_SECONDS = 20

/**
 * Draws the page of a drink, a market without its database and four screens of a phone for `docs/screens.md`, with a day and weeks of
 * trades that are made up.
 *
 * @param {import('@playwright/test').Browser} browser
 */
export async function drawScreens(browser) {
  const stop = await startMarket()
  try {
    const height = Math.round(WIDE.height * SCALE)
    const drink = { png: await drinkPage(browser, WIDE, 'light'), width: Math.round(WIDE.width * SCALE), height }
    const onPhone = { png: await drinkPage(browser, PHONE, 'dark'), ...PHONE }
    await write('drink', await sideBySide(browser, [drink, onPhone]))

    const outage = { png: await outagePage(browser, WIDE_OUTAGE, 'light'), ...WIDE_OUTAGE }
    const outageOnPhone = { png: await outagePage(browser, { ...PHONE, height: WIDE_OUTAGE.height }, 'dark'), ...PHONE }
    await write('outage', await sideBySide(browser, [outage, { ...outageOnPhone, height: WIDE_OUTAGE.height }]))

    const phones = [...(await phonePages(browser, 'light')), ...(await phonePages(browser, 'dark'))]
    await write(
      'phone',
      await sideBySide(
        browser,
        phones.map((png) => ({ png, ...PHONE })),
      ),
    )
  } finally {
    await stop()
  }
}

/**
 * @param {string} name
 * @param {Buffer} picture
 */
async function write(name, picture) {
  await writeFile(join(root, 'docs', 'images', `${name}.webp`), picture)
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {{ width: number, height: number }} viewport
 * @param {'light' | 'dark'} colorScheme
 */
async function drinkPage(browser, viewport, colorScheme) {
  const page = await openPage(browser, viewport, colorScheme)
  await page.goto(`${ORIGIN}/drink/GRAPE_SODA`)
  await page.getByRole('slider', { name: /^Price of/ }).waitFor()
  await page.getByRole('group', { name: 'How far back' }).getByText('Week', { exact: true }).click()
  if (viewport === WIDE) await page.getByRole('group', { name: 'Drawn as' }).getByText('Candles', { exact: true }).click()
  else await page.getByRole('group', { name: 'How far back' }).evaluate((group) => scrollTo(0, group.getBoundingClientRect().top - 220))
  await page.mouse.move(0, 0)
  await untilDrawn(page)
  return page.screenshot()
}

/**
 * The cards of a market whose database has been away for a while.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {{ width: number, height: number }} viewport
 * @param {'light' | 'dark'} colorScheme
 */
async function outagePage(browser, viewport, colorScheme) {
  const page = await openPage(browser, viewport, colorScheme)
  await page.route('**/health', (route) => route.fulfill({ status: 503, json: { status: 'down', database: 'down', chain: 'ok' } }))
  await page.route('**/api/marketplace/listings?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), age: String(OUTAGE_SECONDS) } })
  })
  await page.goto(ORIGIN)
  await page.locator('.as-of-bar').waitFor()
  await page
    .getByRole('article')
    .first()
    .evaluate((card) => scrollTo(0, scrollY + card.getBoundingClientRect().top - 200))
  await untilDrawn(page)
  return page.screenshot()
}

/**
 * By day the market and a purchase to confirm, by night what is sold and the alerts.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {'light' | 'dark'} colorScheme
 */
async function phonePages(browser, colorScheme) {
  const page = await openPage(browser, PHONE, colorScheme)
  await signIn(page)
  if (colorScheme === 'light') {
    const market = await page.screenshot()
    await page.getByRole('button', { name: 'Buy', exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await untilDrawn(page)
    return [market, await page.screenshot()]
  }
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').nth(1).getByRole('button', { name: 'Sell' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Token Amount').fill('20')
  await dialog.getByLabel('Price (SOL)').fill('0.11')
  await dialog.getByText(/^Yours would be|above the cheapest/).waitFor()
  const selling = await page.screenshot()
  await page.keyboard.press('Escape')
  await page.goto(`${ORIGIN}/drink/GRAPE_SODA`)
  await page.getByRole('button', { name: 'Tell me about Grape Soda' }).click()
  for (const price of ['0.004', '0.0032', '0.02']) {
    await dialog.getByLabel(/^When one costs/).fill(price)
    await dialog.getByRole('button', { name: 'Tell me', exact: true }).click()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: `at ${price} SOL` })
      .waitFor()
  }
  await page.mouse.move(0, 0)
  return [selling, await page.screenshot()]
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {{ width: number, height: number }} viewport
 * @param {'light' | 'dark'} colorScheme
 */
async function openPage(browser, viewport, colorScheme) {
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce', deviceScaleFactor: 2 })
  await showTrades(page)
  return page
}

/** @param {import('@playwright/test').Page} page */
async function signIn(page) {
  await signInWithDemoWallet(page, ORIGIN)
  await page.getByRole('button', { name: 'Close message' }).click()
  await page.getByText('5.0000').waitFor()
  await page.locator('.prices:not(.breathe) svg').first().waitFor()
  await page.mouse.move(0, 0)
  await untilDrawn(page)
}
