import { type Page, type Route } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { live, withoutFirstView } from './support/first-view.mjs'
import { banner, expect, fullOnly, signIn, test } from './support/test.ts'

test.use({ allowedErrors: /Failed to load resource/ })

const down = { status: 503, json: { status: 'down', database: 'down', chain: 'ok', version: '0', age: { events: 20, reconciliation: 20 } } }
const refused = { status: 503, json: { error: 'The market cannot reach its database right now.', code: 'DATABASE_DOWN' } }
const buyButtons = (page: Page) => page.getByRole('article').getByRole('button', { name: 'Buy' })

/** What a server answers whose database is away: the first page as it was, to visitors only, and nothing else that needs the database. */
async function loseDatabase(page: Page, age = 20) {
  let isBack = false
  const unlessBack = (answer: (route: Route) => Promise<void>) => (route: Route) => (isBack ? route.continue() : answer(route))
  await page.route(
    '**/api/{auth,tokens,marketplace}/**',
    unlessBack((route) => route.fulfill(refused)),
  )
  await page.route(
    '**/health',
    unlessBack((route) => route.fulfill(down)),
  )
  await page.route(
    '**/api/marketplace/listings?*',
    unlessBack(async (route) => {
      if (route.request().headers()['authorization']) return route.fulfill(refused)
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'cache-control': 'no-store', age: String(age) } })
    }),
  )
  return { comeBack: () => void (isBack = true) }
}

test('a server that does not answer at all is reported as unavailable until it does, and Try Again reloads the page', async ({ page }) => {
  await page.route('**/{health,api/**}', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Server Unavailable' })).toBeVisible()
  await expect(page.getByText('Failed to connect to server')).toBeVisible()
  await expect(page.getByText('Make sure your internet connection is stable', { exact: true })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('Server is not responding. Make sure your internet connection is stable')
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await reloaded
  await expect(page.getByRole('heading', { name: 'Server Unavailable' })).toBeVisible()
  await page.unroute('**/{health,api/**}')
  await expect(page.getByRole('heading', { name: 'Connect Phantom Wallet' })).toBeVisible()
  await expect(buyButtons(page).first()).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `while the database is away the market is shown as it was, without Buy, until it is back (${colorScheme})`,
    fullOnly(colorScheme === 'light'),
    async ({ openContext }) => {
      const page = await (await openContext({ colorScheme, viewport: { width: 320, height: 640 } })).newPage()
      const { comeBack } = await loseDatabase(page)
      await withoutFirstView(page)
      await page.goto('/')
      await expect(page.getByRole('article').first()).toBeVisible()
      await expect(page.getByText(/^As of 2\d s ago/)).toBeVisible()
      await expect(page.getByRole('status').filter({ hasText: /You see it as of 2\d s ago, and buying is paused/ })).toBeAttached()
      await expect(page.getByText(/^As of 2[5-9] s ago/)).toBeVisible()
      await expect(page.getByText('Paused').first()).toBeVisible()
      await expect(buyButtons(page)).toHaveCount(0)
      await expect(page.getByText('Server Online')).toHaveCount(0)
      await expect(page.getByRole('heading', { name: 'Server Unavailable' })).toHaveCount(0)
      await expect(page.getByRole('alert')).toHaveCount(0)
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing is wider than the window').toBeLessThanOrEqual(320)
      comeBack()
      await expect(buyButtons(page).first()).toBeVisible()
      await expect(page.getByText(/^As of/)).toHaveCount(0)
      await expect(page.getByRole('alert')).toHaveText('The market is up to date again.')
    },
  )
}

test('a page that is open when the database goes away hears of it, and of its return', async ({ page }) => {
  let frames = 'event: ready\ndata: {"type":"ready"}\n\n'
  await page.route('**/api/marketplace/events', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `retry: 500\n\n${frames}` }),
  )
  await page.goto('/')
  await expect(buyButtons(page).first()).toBeVisible()
  const { comeBack } = await loseDatabase(page)
  frames = 'event: outage.began\ndata: {"type":"outage.began","age":3}\n\n'
  await expect(page.getByText(/^The market as of \d+ s ago/)).toBeVisible()
  await expect(buyButtons(page)).toHaveCount(0)
  comeBack()
  frames = 'event: outage.ended\ndata: {"type":"outage.ended"}\n\n'
  await expect(buyButtons(page).first()).toBeVisible()
  await expect(page.getByText(/^The market as of/)).toHaveCount(0)
})

test('somebody who has looked at one drink for long still sees the market when the server is gone', async ({ page }) => {
  await page.clock.install()
  await page.goto('/')
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeAttached()
  await page.getByText('Grape Soda', { exact: true }).first().click()
  await expect(page).toHaveURL(/GRAPE_SODA/)
  await expect(buyButtons(page).first()).toBeVisible()
  // Longer than what nothing shows is kept.
  await page.clock.fastForward('06:00')
  await page.route('**/{health,api/**}', (route) => route.abort())
  await expect(async () => {
    await page.clock.runFor(1_000)
    await expect(page.getByText(/^The market as of/)).toBeVisible({ timeout: 100 })
  }).toPass()
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(buyButtons(page)).toHaveCount(0)
})

test('a server that is gone is asked with growing pauses, and found within ten seconds of its return', async ({ page }) => {
  await page.clock.install()
  await page.route('**/api/marketplace/events', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: 'retry: 1000\n\nevent: ready\ndata: {"type":"ready"}\n\n' }),
  )
  await page.goto('/')
  const buy = buyButtons(page).first()
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) await page.clock.runFor(1_000)
  }
  await expect(async () => {
    await pass(1)
    await expect(buy).toBeVisible({ timeout: 100 })
  }).toPass()
  await page.route('**/{health,api/**}', (route) => route.abort())
  await pass(30)
  await expect(buyButtons(page)).toHaveCount(0)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    // A busy machine downloads only now what it does in idle time, which is no question to the server.
    if (!pathname.startsWith('/assets/')) asked.push(pathname)
  })
  await pass(30)
  expect(asked.length).toBeGreaterThan(3)
  expect(asked.length, asked.join(' ')).toBeLessThan(20)
  await page.unroute('**/{health,api/**}')
  await pass(10)
  await expect(async () => {
    await pass(1)
    await expect(buy).toBeVisible({ timeout: 100 })
  }).toPass()
})

test('a signed-in player who reloads during an outage sees the market as it was, and is signed in when it is over', async ({
  signedIn,
}) => {
  const { page } = await signedIn({ sol: 0 })
  const { comeBack } = await loseDatabase(page, 40)
  await page.reload()
  await expect(page.getByText(/^The market as of 4\d s ago/)).toBeVisible()
  await expect(buyButtons(page)).toHaveCount(0)
  comeBack()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  await expect(buyButtons(page).first()).toBeVisible()
})

test('the app says so while it checks the server', async ({ page }) => {
  await withoutFirstView(page)
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
  await withoutFirstView(page)
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
  await expect(page.getByText('Server Online')).toHaveCount(0)
  await page.waitForRequest('**/api/marketplace/listings*')
  await page.unroute('**/api/marketplace/events')
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('Server Online')).toBeVisible()
})

test.describe('a part of the page', () => {
  test.use({ allowedErrors: /Failed to load resource|dynamically imported module|error occurred in|The above error/ })

  test('that cannot be downloaded says so, and the rest stays', async ({ openPlayer }) => {
    const { page } = await openPlayer({ sol: 0 })
    await page.route('**/assets/player-*', (route) => route.abort())
    await page.reload()
    await signIn(page)
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await expect(page.getByText('This part of the page could not be shown').last()).toBeVisible()
    await page.getByRole('tab', { name: 'Market' }).click()
    await expect(page.getByRole('article').first()).toBeVisible()
  })

  test('that a wallet needs says so when it is wanted, not in the browser’s own words, and the market stays', async ({ openPlayer }) => {
    const { page } = await openPlayer({ sol: 0 })
    await page.route('**/assets/{dialogs,wallet-menu}-*', (route) => route.abort())
    await page.reload()
    await live(page)
    const missing = /^This part of the page could not be shown\. Reload the page\./
    await page.getByRole('button', { name: 'Select Wallet' }).click()
    await expect(banner(page)).toHaveText(missing)
    await expect(buyButtons(page).first()).toBeVisible()

    await page.evaluate(() => localStorage.setItem('walletName', JSON.stringify('Phantom')))
    await page.reload()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(banner(page)).toHaveText(missing)
    await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
  })

  test('that is the menu of a connected wallet leaves its address, which says so when it is pressed', async ({ openPlayer }) => {
    const { page, address } = await openPlayer({ sol: 0 })
    await page.route('**/assets/wallet-menu-*', (route) => route.abort())
    await page.reload()
    await signIn(page)
    await page
      .getByRole('banner')
      .getByRole('button', { name: address.slice(0, 4) })
      .click()
    await expect(banner(page)).toContainText('This part of the page could not be shown')
    await expect(buyButtons(page).first()).toBeVisible()
  })
})
