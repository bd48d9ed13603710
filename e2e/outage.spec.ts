import { expect, test } from './support/test.ts'

test.use({ allowedErrors: /Failed to load resource/ })

test('a server that does not answer is reported as unavailable, and Try Again asks it again', async ({ page }) => {
  await page.route('**/health', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Server Unavailable' })).toBeVisible()
  await expect(page.getByText('Failed to connect to server')).toBeVisible()
  await expect(page.getByText('Make sure your internet connection is stable', { exact: true })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('Server is not responding. Make sure your internet connection is stable')
  await page.unroute('**/health')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: 'Connect Phantom Wallet' })).toBeVisible()
})

test('the app says so while it checks the server', async ({ page }) => {
  let answer = () => {}
  const asked = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/health', async (route) => {
    await asked
    await route.continue()
  })
  await page.goto('/')
  await expect(page.getByText('Checking server connection')).toBeVisible()
  answer()
  await expect(page.getByText('Server Online')).toBeVisible()
})

test('a market that cannot be loaded is not shown as an empty one', async ({ page }) => {
  // With a live connection, the market would be loaded again without a click.
  await page.route('**/api/marketplace/events', () => undefined)
  await page.route('**/api/marketplace/listings*', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByRole('alert')).toHaveText('Failed to load data. Check connection to backend')
  await expect(page.getByText('The market could not be loaded')).toBeVisible()
  await expect(page.getByText('No listings yet')).toHaveCount(0)
  await page.unroute('**/api/marketplace/listings*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('article').first()).toBeVisible()
})

test('a SOL balance that cannot be read is not shown as zero', async ({ openPlayer }) => {
  const { page } = await openPlayer()
  await page.route('**/rpc', (route) =>
    route.fulfill({ status: 503, json: { error: 'The Solana network cannot be reached right now.', code: 'CHAIN_DOWN' } }),
  )
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(page.getByTitle('The Solana network cannot be reached right now.')).toContainText('–')
  await expect(page.getByText('0.0000')).toHaveCount(0)
})

test('a lost live connection is shown, and the market is reloaded until it is back', async ({ page }) => {
  await page.route('**/api/marketplace/events', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Reconnecting' })).toBeVisible()
  await page.waitForRequest('**/api/marketplace/listings*')
  await page.unroute('**/api/marketplace/events')
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible({ timeout: 20_000 })
})

test.describe('a part of the page', () => {
  test.use({ allowedErrors: /Failed to load resource|dynamically imported module|error occurred in|The above error/ })

  test('that cannot be downloaded says so, and the rest stays', async ({ openPlayer }) => {
    const { page } = await openPlayer({ sol: 0 })
    await page.route('**/assets/player-*', (route) => route.abort())
    await page.reload()
    await page.getByRole('button', { name: 'Select Wallet' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Phantom/ })
      .click()
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await expect(page.getByText('This part of the page could not be shown').last()).toBeVisible()
    await page.getByRole('tab', { name: 'Market' }).click()
    await expect(page.getByRole('article').first()).toBeVisible()
  })
})
