import { type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { payByPhone } from './support/phone-wallet.ts'
import { expect, fullOnly, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 10
const origin = `http://localhost:${port}`
const PUBLIC_ORIGIN = 'https://market.example'

test.use({ baseURL: origin })
test.describe.configure({ mode: 'serial' })

let server: OwnServer

test.beforeAll(async () => void (server = await startOwnServer(port, { PUBLIC_ORIGIN })))
test.afterAll(() => server.stop())

/** Opens a listing by its picture, and returns its address. */
async function openListing(page: Page, drink: string): Promise<string> {
  await page.goto('/')
  // Not one that a test beside this one is buying.
  const free = page.getByRole('article').filter({ hasText: drink, has: page.getByRole('button', { name: 'Buy', exact: true }) })
  await free.getByRole('link').first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expect(page).toHaveURL(/\/listing\//)
  return new URL(page.url()).pathname
}

test('a listing has an address of its own, where the page opens on it', async ({ page }) => {
  const path = await openListing(page, 'Apple Juice')
  expect(path).toMatch(/^\/listing\/[\da-f-]{36}$/)
  const dialog = page.getByRole('dialog', { name: /Apple Juice/ })
  await expect(dialog).toBeVisible()
  await expect(page).toHaveTitle(/^\d+ Apple Juice for [\d.]+ SOL · Juicebar Marketplace$/)
  await page.reload()
  await expect(dialog).toBeVisible()
  await expect(dialog).toBeFocused()
  await dialog.getByRole('button', { name: 'Choose a wallet to buy' }).click()
  await expect(page.getByRole('dialog', { name: /a wallet on Solana/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(new URL(page.url()).pathname).toBe('/')
  await expect(page).toHaveTitle('Juicebar Marketplace')
  await page.goBack()
  await expect(dialog).toBeVisible()
})

test('the link preview is that of the listing', async ({ page, request }) => {
  const path = await openListing(page, 'Grape Soda')
  const html = await (await request.get(path)).text()
  expect(html).toMatch(/<meta property="og:title" content="\d+ Grape Soda for [\d.]+ SOL" \/>/)
  expect(html).toContain(`<meta property="og:url" content="${PUBLIC_ORIGIN}${path}" />`)
  expect(html).toMatch(/<meta property="og:description" content="[\d.]+ SOL each, sold by /)
})

test.describe('an address of no listing', () => {
  test.use({ allowedErrors: /404/ })

  test('says so, and leads to the market', async ({ page }) => {
    const reply = await page.goto('/listing/01a1f7e3-0000-7000-8000-000000000000')
    expect(reply?.status()).toBe(404)
    const dialog = page.getByRole('dialog', { name: 'There is no such listing' })
    await dialog.getByRole('button', { name: 'See what is for sale' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('article').first()).toBeVisible()
  })
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a wallet on a phone pays what is on this screen, ${colorScheme}`, fullOnly(colorScheme === 'light'), async ({ openContext }) => {
    const page = await (await openContext({ colorScheme })).newPage()
    const path = await openListing(page, colorScheme === 'light' ? 'Orange Juice' : 'Grape Soda')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Buy with your phone' }).click()
    const browse = `https://phantom.app/ul/browse/${encodeURIComponent(PUBLIC_ORIGIN + path)}?ref=${encodeURIComponent(PUBLIC_ORIGIN)}`
    await expect(dialog.getByRole('img', { name: 'Code that opens this listing in Phantom' })).toBeVisible()
    await expect(dialog.getByText(browse)).toBeVisible()
    await expectAccessible(page)

    await dialog.getByText('Pay with any wallet').click()
    await expect(dialog.getByRole('img', { name: 'Code with which a wallet pays for this listing' })).toBeVisible()
    await expect(dialog.getByRole('status')).toHaveText('Waiting for your phone …')
    await expectAccessible(page)
    const url = (await dialog.locator('code').textContent()) ?? ''
    const pay = await payByPhone(origin, url)
    await expect(dialog.getByRole('status')).toHaveText(
      'The listing is held for your wallet, which asks you to pay. Once paid, it shows here within half a minute.',
    )
    await pay()
    await expect(dialog.getByRole('status')).toHaveText('Delivered. The drinks are in the inventory of the wallet that paid.')
    await expectAccessible(page)
    await page.reload()
    await expect(dialog.getByText('This listing has been sold.')).toBeVisible()
    // Playwright moves the pointer and presses in one go, while the dialog takes the place of the first view.
    await page.mouse.move(5, 5)
    await expect(page.locator('section[role=dialog]')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'See what else is for sale' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
}

test('whoever presses Buy without a wallet finds the way to the phone', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Buy' }).first().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Buy with your phone' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Buy with your phone' })).toBeVisible()
})

test('a listing that somebody with a wallet wanted is not offered when another wallet is chosen', async ({ signedIn }) => {
  const { page, address } = await signedIn()
  await page.getByRole('button', { name: 'Buy', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: `${address.slice(0, 4)}..` }).click()
  await page.getByRole('menuitem', { name: 'Change wallet' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Demo Wallet/ })).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Buy with your phone' })).toHaveCount(0)
})

test('with Phantom in the browser nothing is said of a phone', async ({ openPlayer }) => {
  const { page } = await openPlayer()
  await openListing(page, 'Apple Juice')
  await expect(page.getByRole('button', { name: 'Choose a wallet to buy' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Buy with your phone' })).toHaveCount(0)
})

test('who is signed in buys a listing from its page', async ({ signedIn }) => {
  const { page } = await signedIn()
  // The session outlasts the page, the connection of the wallet does not.
  await openListing(page, 'Apple Juice')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Buy', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Confirm your purchase' })).toBeVisible()
})

test.describe('a market that only this machine reaches', () => {
  test.use({ baseURL: `http://localhost:${process.env['E2E_PORT'] ?? '3210'}` })

  test('says why nobody can buy with a phone', async ({ page }) => {
    await openListing(page, 'Apple Juice')
    const button = page.getByRole('button', { name: 'Buy with your phone' })
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription('A phone cannot reach this market, because it has no public https address.')
  })
})
