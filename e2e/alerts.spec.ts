import { createECDH, randomBytes } from 'node:crypto'

import { type BrowserContext, type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { list } from './support/api-listing.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { banner, expect, fullOnly, type Player, signIn, test } from './support/test.ts'

test.use({ serviceWorkers: 'allow' })

/** Its offers would be the best price of everybody else's tests. */
const port = Number(process.env['E2E_PORT'] ?? '3210') + 9

/** Cheaper than anything else on the market. */
const CHEAP = { amount: 50, price: 0.001, each: 0.00002 }

const bell = (page: Page) => page.getByRole('button', { name: 'Tell me about Grape Soda' })
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Tell me about Grape Soda' })
const toast = (page: Page) => page.getByRole('alert').filter({ hasText: `Grape Soda is for sale at ${CHEAP.each} SOL each` })

async function openAlerts(page: Page) {
  await page.getByText('Grape Soda', { exact: true }).first().click()
  await bell(page).click()
  return dialogOf(page)
}

async function setAlert(page: Page, price: number | string) {
  const dialog = dialogOf(page)
  await dialog.getByLabel('Unit price at or below (SOL)').fill(String(price))
  await dialog.getByRole('button', { name: 'Tell me', exact: true }).click()
}

/**
 * A browser whose push service takes every subscription: the real one is another company's. The permission is given too, since a browser without
 * a window cannot be asked. Everything else is the browser's own, the service worker included.
 */
async function stubPushService(context: BrowserContext): Promise<void> {
  const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  await context.addInitScript((given) => {
    const key = 'stub-push'
    const subscription = (endpoint: string) => ({
      endpoint,
      toJSON: () => ({ endpoint, keys: given }),
      unsubscribe: async () => {
        localStorage.removeItem(key)
        return true
      },
    })
    const own = () => {
      const endpoint = localStorage.getItem(key)
      return endpoint === null ? null : subscription(endpoint)
    }
    const subscribe = async (options: PushSubscriptionOptionsInit) => {
      if (!options.userVisibleOnly || typeof options.applicationServerKey !== 'string' || options.applicationServerKey.length !== 87)
        throw new TypeError('not as browsers want it')
      localStorage.setItem(key, own()?.endpoint ?? `https://push.example/${crypto.randomUUID()}`)
      return own()
    }
    Object.defineProperty(Notification, 'permission', { value: 'granted' })
    Object.assign(Notification, { requestPermission: async () => 'granted' })
    Object.assign(PushManager.prototype, { subscribe, getSubscription: async () => own() })
  }, keys)
}

/** Where the pushes of the page's session go, by the server. */
async function pushEndpoint({ page }: Pick<Player, 'page'>): Promise<string | null> {
  const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
  const reply = await page.request.get('/api/marketplace/push', { headers: { authorization: `Bearer ${jwt}` } })
  return ((await reply.json()) as { endpoint: string | null }).endpoint
}

test.use({ baseURL: `http://localhost:${port}` })
// One at a time: an alert of one test would fire for the offer of another.
test.describe.configure({ mode: 'serial' })

let server: OwnServer

test.beforeAll(async () => void (server = await startOwnServer(port)))
test.afterAll(() => server.stop())

test('an alert fires once, in each of the player’s tabs, when somebody else sells at its price, and stays until it is deleted', async ({
  signedIn,
  trader,
}) => {
  const player = await signedIn({ sol: 0 })
  const { page } = player
  const dialog = await openAlerts(page)
  await expect(dialog).toContainText('No alerts yet. Each one notifies you once.')
  await setAlert(page, CHEAP.each)
  const rows = dialog.getByRole('list', { name: 'Your alerts' }).getByRole('listitem')
  await expect(rows).toHaveText(/Grape Soda at 0\.00002 SOL or less\s*Waiting/)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(bell(page)).toBeFocused()

  const second = await page.context().newPage()
  await second.goto('/')
  await expect(second.getByRole('tab', { name: 'Inventory' })).toBeVisible()
  await expect(second.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
  await list(player, 'GRAPE_SODA', CHEAP.amount, CHEAP.price)
  const seller = await trader({ sol: 0 })
  await list(seller, 'GRAPE_SODA', CHEAP.amount, CHEAP.price)
  for (const tab of [page, second]) await expect(toast(tab)).toHaveCount(1)

  // A tab that is opened later, or loaded again, does not say it again.
  await second.reload()
  const again = await openAlerts(second)
  const fired = again.getByRole('list', { name: 'Your alerts' }).getByRole('listitem')
  await expect(fired).toHaveText(/Grape Soda at 0\.00002 SOL or less\s*For sale at 0\.00002 SOL on /)
  await expect(toast(second)).toHaveCount(0)
  await again.getByRole('button', { name: 'Delete the alert: Grape Soda at 0.00002 SOL' }).click()
  await expect(again).toContainText('No alerts yet')

  await setAlert(second, CHEAP.each)
  await expect(again).toContainText('It is for sale at that price already: 0.00002 SOL each.')
})

test('a price that cannot be is said so, and Enter sets one that can', async ({ signedIn }) => {
  const { page } = await signedIn({ sol: 0 })
  const dialog = await openAlerts(page)
  const field = dialog.getByLabel('Unit price at or below (SOL)')
  await expect(field).toBeFocused()
  await field.fill('0')
  await expect(dialog).toContainText('The lowest price is 0.000001 SOL.')
  await expect(dialog.getByRole('button', { name: 'Tell me', exact: true })).toBeDisabled()
  await field.fill('0.000001')
  await field.press('Enter')
  await expect(dialog.getByRole('list', { name: 'Your alerts' })).toContainText('Grape Soda at 0.000001 SOL or less')
})

test('notifications are switched on for this browser, come back with the next sign-in, and end at logout and on wish', async ({
  openContext,
  signedIn,
  baseURL,
}) => {
  const profile = await openContext()
  await stubPushService(profile)
  const { page } = await signedIn({ profile, sol: 0 })
  const dialog = await openAlerts(page)
  await expect(dialog).toContainText('even while the page is closed.')
  expect(await pushEndpoint({ page })).toBeNull()
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByRole('heading', { name: 'Notifications: on' })).toBeVisible()
  expect(await pushEndpoint({ page })).toMatch(/^https:\/\/push\.example\//)
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL)
  expect(worker).toBe(`${new URL(baseURL ?? '').origin}/worker.js`)

  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeHidden()
  await signIn(page)
  await expect.poll(() => pushEndpoint({ page })).toMatch(/^https:\/\/push\.example\//)

  const again = await openAlerts(page)
  await again.getByRole('button', { name: 'Turn off' }).click()
  await expect(again.getByRole('button', { name: 'Turn on' })).toBeVisible()
  expect(await pushEndpoint({ page })).toBeNull()
})

test('where notifications are blocked or unknown to the browser, it says so, and alerts work all the same', async ({
  openContext,
  signedIn,
}) => {
  for (const [text, prepare] of [
    ['Notifications of this page are blocked.', () => Object.defineProperty(Notification, 'permission', { get: () => 'denied' })],
    ['This browser does not support notifications.', () => Reflect.deleteProperty(window, 'PushManager')],
  ] as const) {
    const profile = await openContext()
    await profile.addInitScript(prepare)
    const { page } = await signedIn({ profile, sol: 0 })
    const dialog = await openAlerts(page)
    await expect(dialog).toContainText(text)
    await expect(dialog.getByRole('button', { name: 'Turn on' })).toBeHidden()
    await setAlert(page, 0.000001)
    await expect(dialog.getByRole('listitem')).toContainText('Waiting')
  }
})

test.describe('without the server', () => {
  test.use({ allowedErrors: /50[03]/ })

  test('alerts that cannot be loaded or set are not shown as none', async ({ openPlayer }) => {
    const { page } = await openPlayer({ sol: 0 })
    const fail = () =>
      page.route('**/api/marketplace/alerts', (route) => route.fulfill({ status: 500, json: { error: 'It is broken.', code: 'INTERNAL' } }))
    await fail()
    await signIn(page)
    const dialog = await openAlerts(page)
    await expect(dialog).toContainText('Your alerts could not be loaded.')
    await expect(dialog).not.toContainText('No alerts yet')
    await page.unroute('**/api/marketplace/alerts')
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await expect(dialog).toContainText('No alerts yet')
    await fail()
    await setAlert(page, 0.000001)
    await expect(banner(page)).toContainText('It is broken.')
  })
})

for (const width of [320, 390, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(
      `the alerts are accessible and fit, ${width} pixels, ${colorScheme}`,
      fullOnly(!(colorScheme === 'dark' ? width === 320 : width === 1280)),
      async ({ openContext, signedIn }) => {
        const profile = await openContext({ colorScheme, viewport: { width, height: 844 } })
        await stubPushService(profile)
        const { page } = await signedIn({ profile, sol: 0 })
        const dialog = await openAlerts(page)
        await expect(dialog.getByRole('button', { name: 'Turn on' })).toBeVisible()
        await expectAccessible(page)
        await shoot(page, `empty-${width}-${colorScheme}`)
        for (const price of [0.004, 0.000001, 0.000002, 0.000003]) {
          await setAlert(page, price)
          await expect(dialog.getByRole('list', { name: 'Your alerts' })).toContainText(`at ${price} SOL`)
        }
        await dialog.getByRole('button', { name: 'Turn on' }).click()
        await expect(dialog.getByRole('heading', { name: 'Notifications: on' })).toBeVisible()
        await expectAccessible(page)
        await shoot(page, `full-${width}-${colorScheme}`)
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
        await page.keyboard.press('Escape')
        await shoot(page, `panel-${width}-${colorScheme}`)
      },
    )
  }
}

/** Pictures for whoever looks at them, into a folder of `SCREENSHOTS`. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/alerts-${name}.png` })
}
