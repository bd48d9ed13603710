import { fileURLToPath } from 'node:url'

import { type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { expect, fullOnly, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 2
const BRAND_DIR = fileURLToPath(new URL('../examples/brand', import.meta.url))

test.use({ baseURL: `http://localhost:${port}` })
test.describe.configure({ mode: 'serial' })

let server: OwnServer

test.beforeAll(async () => void (server = await startOwnServer(port, { BRAND_DIR })))
test.afterAll(() => server.stop())

/** The colours of the page and of its main button, as the browser draws them. */
async function drawnColors(page: Page): Promise<string[]> {
  const button = page.getByRole('button', { name: 'Choose a wallet' })
  const colorOf = (element: Element) => getComputedStyle(element).backgroundColor
  return [await page.locator('html').evaluate(colorOf), await button.evaluate(colorOf)]
}

const colors = {
  light: ['rgb(234, 243, 239)', 'rgb(11, 102, 87)'],
  dark: ['rgb(7, 26, 28)', 'rgb(255, 180, 94)'],
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `a studio’s market has its words, its logo and its colours, and can be read, ${colorScheme}`,
    fullOnly(colorScheme === 'light'),
    async ({ openContext }) => {
      const page = await (await openContext({ colorScheme })).newPage()
      await page.goto('/')
      await expect(page.getByRole('article').first()).toBeVisible()
      await expect(page).toHaveTitle('Comet Tea House')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Comet Tea House')
      await expect(page.getByText('Teas and treasures from seven moons: sell what you carry')).toBeVisible()
      await expect(page.getByRole('contentinfo')).toContainText('Comet Tea House is made up.')
      const logo = page.getByRole('banner').locator('img')
      await expect(logo).toHaveAttribute('src', /^\/files\/logo\.[0-9a-f]+\.svg$/)
      expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
      expect(await drawnColors(page)).toEqual(colors[colorScheme])
      await expectAccessible(page)
    },
  )
}

test('a studio’s market is itself before any code has run', async ({ openContext }) => {
  const context = await openContext({ javaScriptEnabled: false, colorScheme: 'dark' })
  const page = await context.newPage()
  await page.goto('/')
  expect(await page.locator('html').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(colors.dark[0])
})

test('the sign-in message names the studio’s market as the page does', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  const request = page.getByRole('dialog', { name: 'Demo Wallet: Sign this message' })
  await expect(request).toContainText('Log in to Comet Tea House at localhost')
})
