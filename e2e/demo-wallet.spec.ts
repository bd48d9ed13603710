import { expect, test } from './support/test.ts'

test('the Demo Wallet signs in, gets test SOL by itself, and buys', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  const request = page.getByRole('dialog', { name: 'Demo Wallet: Sign this message' })
  await expect(request).toContainText('Log in to Juicebar Marketplace at localhost')
  await expect(request).toContainText('Nonce: ')
  await request.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('5.0000 SOL')).toBeVisible()

  const listing = page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Buy' }) })
    .last()
  const seller = await listing.locator('dd[title]').getAttribute('title')
  await listing.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('button', { name: /^Pay / }).click()
  const payment = page.getByRole('dialog', { name: 'Demo Wallet: Send this payment' })
  await expect(payment).toContainText(seller ?? 'a seller')
  await payment.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
})

test('the Demo Wallet can refuse', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page.getByRole('button', { name: 'Reject' }).click()
  await expect(page.getByRole('alert')).toContainText('You declined the request in your wallet')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('the Demo Wallet keeps its key through a reload', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  const address = page.getByRole('button', { name: /^\w{4}\.\.\w{4}$/ })
  const before = await address.textContent()
  await page.reload()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(address).toHaveText(before ?? '')
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
})

test('another app on the same page sees the Demo Wallet', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /Demo Wallet/ })).toBeVisible()
  const seen = await page.evaluate(() => {
    const names: string[] = []
    const detail = { register: (wallet: { name: string }) => names.push(wallet.name) }
    window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail }))
    return names
  })
  expect(seen).toEqual(['Demo Wallet'])
})
