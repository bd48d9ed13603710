import { type Page } from '@playwright/test'

import { expect, test } from './support/test.ts'

test('a visitor browses, searches and sorts the market without a wallet', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Juicebar Marketplace' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Connect Phantom Wallet' })).toBeVisible()
  await expect(page.getByText('Server Online')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['Market'])
  await expect(page.getByRole('article').first()).toBeVisible()

  await page.getByPlaceholder('Search...').fill('gRAPE so')
  await expect(page.getByRole('article').filter({ hasText: 'Apple Juice' })).toHaveCount(0)
  await expect(page.getByRole('article').filter({ hasText: 'Grape Soda' }).first()).toBeVisible()

  await page.getByPlaceholder('Search...').fill('no such drink')
  await expect(page.getByText('No listings yet')).toBeVisible()
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(page.getByRole('article').first()).toBeVisible()

  await page.getByLabel('Order').selectOption('price')
  await expect
    .poll(async () => {
      const prices = await shownPrices(page)
      return prices.length > 1 && prices.every((price, index) => index === 0 || price >= (prices[index - 1] ?? 0))
    })
    .toBe(true)
})

test('the market can be filtered by drink', async ({ page }) => {
  await page.goto('/')
  await page.getByText('Orange Juice', { exact: true }).first().click()
  await expect(page.getByRole('article').filter({ hasText: 'Apple Juice' })).toHaveCount(0)
  await expect(page.getByRole('article').filter({ hasText: 'Orange Juice' }).first()).toBeVisible()
})

test('without a wallet the picker says that one is needed, and closes on Escape', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  const dialog = page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('button', { name: /Demo Wallet/ })).toBeVisible()
  await dialog.getByRole('button', { name: 'More options' }).click()
  await expect(dialog.getByRole('link', { name: /Phantom/ })).toHaveAttribute('href', 'https://phantom.app/download')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('the way to Phantom unfolds at one click, also while the Demo Wallet is on its way', async ({ page }) => {
  let deliver = () => {}
  const held = new Promise<void>((resolve) => (deliver = resolve))
  await page.route(/assets\/demo-wallet/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  const dialog = page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })
  await dialog.getByRole('button', { name: 'More options' }).click()
  await expect(dialog.getByRole('link', { name: /Phantom/ })).toBeVisible()
  deliver()
  await expect(dialog.getByRole('button', { name: /Demo Wallet/ })).toBeVisible()
  await expect(dialog.getByRole('link', { name: /Phantom/ })).toBeVisible()
})

test('on an iPhone the picker opens this page inside Phantom', async ({ openContext, baseURL }) => {
  const context = await openContext({
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile Safari/604.1',
  })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page.getByRole('button', { name: 'More options' }).click()
  const target = `https://phantom.app/ul/browse/${encodeURIComponent(`${baseURL}/`)}?ref=${encodeURIComponent(baseURL ?? '')}`
  await expect(page.getByRole('link', { name: /Phantom/ })).toHaveAttribute('href', target)
})

test('Buy leads a visitor to the wallets', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Buy' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
})

async function shownPrices(page: Page): Promise<number[]> {
  const texts = await page.getByRole('article').locator('p > span:first-child').allTextContents()
  return texts.map((text) => Number(text.replace(/[^\d.]/g, '')))
}
