import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { banner, expect, sell, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 1

test.use({ baseURL: `http://localhost:${port}`, allowedErrors: /Failed to load resource/ })
test.describe.configure({ mode: 'serial' })

let server: OwnServer

test.beforeAll(async () => void (server = await startOwnServer(port)))
test.afterAll(() => server.stop())

const message = 'We refill the ice. Back at noon.'
const bar = (page: Page) => page.getByRole('status').filter({ hasText: 'Buying and selling are paused.' })
const buyButtons = (page: Page) => page.getByRole('article').getByRole('button', { name: 'Buy' })

test('the pause’s message comes and goes without a reload, and Buy and Sell say why they are off', async ({ page, signedIn }) => {
  const player = await signedIn()
  await page.goto('/')
  await expect(buyButtons(page).first()).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
  await expect(player.page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()

  await server.market.pauseMarket({ body: { message } })
  for (const each of [page, player.page]) {
    await expect(bar(each)).toContainText(message)
    await expect(buyButtons(each)).toHaveCount(0)
    await expect(each.getByRole('article').getByText('Paused').first()).toBeVisible()
  }
  await expectAccessible(page)
  await player.page.getByRole('tab', { name: 'Inventory' }).click()
  const apple = player.page.getByRole('article').filter({ hasText: 'Apple Juice' })
  await expect(apple.getByRole('button', { name: 'Paused' })).toBeDisabled()
  await expect(apple.getByTitle('The line below the header says why.')).toBeVisible()

  await page.reload()
  await expect(bar(page)).toContainText(message)
  await server.market.pauseMarket({ body: { message: 'It takes longer.' } })
  await expect(bar(page)).toContainText('It takes longer.')

  await server.market.resumeMarket()
  await expect(bar(page)).toHaveCount(0)
  await expect(buyButtons(page).first()).toBeVisible()
  await expect(apple.getByRole('button', { name: 'Sell' })).toBeEnabled()
})

test('a blocked player is told why and what to do, and can still remove a listing', async ({ signedIn }) => {
  const { page, address } = await signedIn()
  await sell(page, 'Grape Soda', 2, 0.2)
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()

  await server.market.blockWallet({ params: { wallet: address }, body: { reason: 'Three refunds are missing.' } })
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText('The studio has blocked your wallet')
  await expect(attention).toContainText('Three refunds are missing.')
  await expect(attention).toContainText('You can still remove your listings, pay for what you hold, and refund.')
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'My Listings' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Grape Soda' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').filter({ hasText: 'Grape Soda' }).getByRole('button', { name: 'Sell' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
  await dialog.getByLabel('Token Amount').fill('1')
  await dialog.getByLabel('Price (SOL)').fill('0.1')
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(banner(page)).toContainText('This wallet is blocked: Three refunds are missing.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await server.market.unblockWallet({ params: { wallet: address } })
  await expect(attention).toBeHidden()
})

test('a broken rule is told where it was broken, with its number', async ({ signedIn }) => {
  const seller = await signedIn()
  await list(seller, 'ORANGE_JUICE', 2, 0.2)
  await server.market.setRules({ body: { rules: [{ tokenType: 'ORANGE_JUICE', minUnitPrice: 0.25 }] } })
  const words = 'Orange Juice must cost at least 0.25 SOL each.'
  await seller.page.getByRole('tab', { name: 'Inventory' }).click()
  await seller.page.getByRole('article').filter({ hasText: 'Orange Juice' }).getByRole('button', { name: 'Sell' }).click()
  const dialog = seller.page.getByRole('dialog', { name: 'Sell Tokens' })
  await dialog.getByLabel('Token Amount').fill('4')
  await dialog.getByLabel('Price (SOL)').fill('0.999')
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(dialog.getByRole('alert')).toContainText(words)
  await dialog.getByLabel('Price (SOL)').fill('1')
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(dialog).toBeHidden()
  await server.market.setRules({ body: { rules: [] } })
})
