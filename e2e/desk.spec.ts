import { readFileSync } from 'node:fs'

import { type Reply } from '@juicebar/contract/calls'
import { scopes } from '@juicebar/contract/scopes'
import { type BrowserContext, type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { list } from './support/api-listing.ts'
import { overflow } from './support/layout.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { holdByHand, payHold } from './support/pay-by-hand.ts'
import { expect, fullOnly, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 4
const origin = `http://localhost:${port}`

test.use({ baseURL: origin, allowedErrors: /Failed to load resource/ })
test.describe.configure({ mode: 'serial' })

let server: OwnServer
/** Of a browser whose wallet is on the staff: the first test makes it, or whichever runs alone. */
let state: Awaited<ReturnType<BrowserContext['storageState']>> | undefined

test.beforeAll(async () => void (server = await startOwnServer(port, { CHECKOUT_ORIGINS: 'https://game.example' })))
test.afterAll(() => server.stop())

const nav = (page: Page, name: string) => page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name, exact: true })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const toast = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text })

/** At the desk, signed in with the Demo Wallet, which is on the staff. Nothing fades there: what is half transparent has less contrast. */
async function openDesk(open: (options?: object) => Promise<BrowserContext>, options: object = {}): Promise<Page> {
  state ??= await signInAsStaff(open)
  const context = await open({ ...options, storageState: state })
  const page = await context.newPage()
  await page.goto('/studio')
  await expect(page.getByRole('heading', { name: 'Today', level: 2 })).toBeVisible()
  return page
}

async function signInAsStaff(open: () => Promise<BrowserContext>) {
  const context = await open()
  const page = await context.newPage()
  await page.goto('/studio')
  await signInWithDemoWallet(page)
  await putOnStaff(page)
  return context.storageState()
}

async function signInWithDemoWallet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page.getByRole('dialog', { name: 'Demo Wallet: Sign this message' }).getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('heading', { name: 'This wallet does not belong to the studio’s staff' })).toBeVisible()
}

/** Puts the wallet on the staff whose address the page shows. */
async function putOnStaff(page: Page): Promise<void> {
  const address = await page.locator('main p').first().textContent()
  await server.market.setStaff({ params: { wallet: address ?? '' }, body: { scopes: [...scopes], name: 'Ada' } })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Today', level: 2 })).toBeVisible()
}

/** Says why, and does it. */
async function act(page: Page, { button, label, why, doIt }: { button: string; label: string; why: string; doIt: string }): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await finish(page, { label, why, doIt })
}

async function finish(page: Page, { label, why, doIt }: { label: string; why: string; doIt: string }): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(label, { exact: true }).fill(why)
  await dialog.getByRole('button', { name: doIt, exact: true }).click()
}

/** A purchase that is paid and delivered. */
async function trade(seller: Trader, buyer: Trader): Promise<string> {
  const listingId = await list(seller, 'GRAPE_SODA', 2, 0.5)
  const details = await holdByHand(buyer, [{ listingId }])
  await payHold(buyer, details)
  let purchases: Reply<'myPurchases'>['purchases'] = []
  await expect
    .poll(async () => {
      ;({ purchases } = await buyer.call<Reply<'myPurchases'>>('GET', 'marketplace/my-purchases'))
      return purchases[0]?.status
    })
    .toBe('settled')
  return purchases[0]?.purchaseId ?? ''
}

test('whoever is not staff hears it in one sentence, and who is put on the staff comes in', async ({ page, context }) => {
  await page.goto('/studio')
  await expect(page.getByRole('heading', { name: 'Studio desk', level: 2 })).toBeVisible()
  await expectAccessible(page)
  await signInWithDemoWallet(page)
  await expectAccessible(page)
  await putOnStaff(page)
  state = await context.storageState()
})

test('the front shows what today has brought, and each chart its numbers', async ({ openContext, trader }) => {
  const seller = await trader()
  const buyer = await trader()
  const page = await openDesk(openContext)
  const sales = page.locator('dl > div').filter({ hasText: 'Sales' }).locator('dd > span').first()
  await expect(sales).toHaveText('0')
  await expect(page.getByText('Nothing was sold in these days.')).toHaveCount(3)
  await expect(page.getByText('Nothing was sold in these hours.')).toBeVisible()
  await trade(seller, buyer)
  await page.reload()
  await expect(sales).toHaveText('1')
  await expect(page.getByRole('img', { name: /^Sales per day: the highest is 1 on / })).toBeVisible()
  await expect(page.getByText('0.5 SOL · 2 sold')).toBeVisible()
  await expect(page.getByRole('img', { name: /^Sales per hour: the highest is 1 in the hour from / })).toBeVisible()
  const hours = page.getByRole('region', { name: 'Sales per hour' })
  await page.getByRole('button', { name: 'Sales per hour as numbers' }).click()
  await expect(hours.getByRole('row')).toHaveCount(49)
  await expect(hours.getByRole('row').filter({ has: page.getByRole('cell', { name: '0.5', exact: true }) })).toHaveCount(1)
  await page.getByRole('button', { name: 'Volume per day as numbers' }).click()
  await expect(page.getByRole('region', { name: 'Volume per day' }).getByRole('cell', { name: '0.5 SOL' })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Market\s*Open/ })).toBeVisible()
})

test('a figure that cannot be read says why, and is never a zero', async ({ openContext }) => {
  const page = await openDesk(openContext)
  const error = 'The market cannot reach its database right now. Please try again in a moment.'
  await page.route('**/api/studio/{stats,cases,pause}*', (route) => route.fulfill({ status: 503, json: { error, code: 'DATABASE_DOWN' } }))
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'Today’s figures could not be read.' })).toContainText(error)
  await expect(page.getByRole('alert').filter({ hasText: 'The daily figures could not be read.' })).toContainText(error)
  await expect(page.getByRole('link', { name: /^Market\s*Unknown/ })).toContainText(error)
  await expect(page.getByRole('link', { name: /^Open cases\s*Unknown/ })).toContainText(error)
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await expect(page.getByText('yesterday').first()).toBeVisible()
})

test('a wallet, a purchase and a transaction are found through one field', async ({ openContext, trader }) => {
  const seller = await trader()
  const buyer = await trader()
  const purchaseId = await trade(seller, buyer)
  const page = await openDesk(openContext)
  const field = page.getByRole('searchbox')

  await field.fill(purchaseId)
  await field.press('Enter')
  const purchase = part(page, '2 Grape Soda for 0.5 SOL')
  await expect(purchase.getByRole('list', { name: 'What happened' })).toContainText('Delivered')
  const signature = await purchase.locator('code').nth(1).textContent()
  await expectAccessible(page)

  await field.fill(`https://explorer.solana.com/tx/${signature}`)
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(purchase.locator('code').first()).toHaveText(purchaseId)

  await field.fill(seller.address)
  await field.press('Enter')
  await expect(part(page, 'Player').locator('code')).toHaveText(seller.address)
  await expect(part(page, 'Purchases and sales').getByRole('row')).toHaveCount(2)
  await expect(part(page, 'Cases')).toContainText('There is no case with this wallet.')
  await expectAccessible(page)

  await field.fill('apple')
  await field.press('Enter')
  await expect(page.getByRole('main')).toContainText('“apple” is none of what can be found here')
})

test('the market is paused with a message and opened with a reason, and the log has both', async ({ openContext }) => {
  const page = await openDesk(openContext)
  await page.getByRole('link', { name: /^Market\s*Open/ }).click()
  await page.getByRole('button', { name: 'Pause the market' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pause the market' })
  await expect(dialog).toContainText('nobody can list or buy')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Say why: the log keeps it.')
  await dialog.getByLabel('Message').fill('We refill the ice.')
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(toast(page, 'The market is paused.')).toBeVisible()
  await expect(part(page, 'The market is paused')).toContainText('We refill the ice.')
  await act(page, { button: 'Open the market', label: 'Reason', why: 'The ice is there.', doIt: 'Open' })
  await expect(part(page, 'Pause')).toContainText('The market is open.')

  await nav(page, 'Log').click()
  const rows = page.getByRole('group', { name: 'The log' }).getByRole('row')
  await expect(rows.nth(1)).toContainText(/Reopened the market.*The ice is there\./)
  await expect(rows.nth(2)).toContainText(/Paused the market.*We refill the ice\./)
  await expectAccessible(page)
})

test('a player is blocked and unblocked', async ({ openContext, signedIn }) => {
  const player = await signedIn()
  const page = await openDesk(openContext)
  await page.getByRole('searchbox').fill(player.address)
  await page.getByRole('searchbox').press('Enter')
  await act(page, { button: 'Block', label: 'Reason', why: 'Three refunds are missing.', doIt: 'Block' })
  await expect(part(page, 'Player')).toContainText('until somebody ends it: Three refunds are missing.')
  await expect(player.page.getByRole('region', { name: 'Needs attention' })).toContainText('Three refunds are missing.')
  await act(page, { button: 'Unblock', label: 'Reason', why: 'They came.', doIt: 'Unblock' })
  await expect(part(page, 'Player').getByText('Blocked')).toHaveCount(0)

  await act(page, { button: 'Block', label: 'Reason', why: 'They are missing again.', doIt: 'Block' })
  await nav(page, 'Market').click()
  const row = part(page, 'Blocked players').getByRole('row', { name: /They are missing again\./ })
  await expect(row).toContainText('somebody ends it')
  await expect(row.getByRole('link')).toHaveCount(2)
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Unblock' }).click()
  await expect(page.getByRole('dialog')).toContainText(player.address)
  await finish(page, { label: 'Reason', why: 'They came after all.', doIt: 'Unblock' })
  await expect(part(page, 'Blocked players')).toContainText('Nobody is blocked.')
})

test('drinks are credited with a signature for that alone', async ({ openContext, trader }) => {
  const player = await trader({ sol: 0 })
  const page = await openDesk(openContext)
  await page.getByRole('searchbox').fill(player.address)
  await page.getByRole('searchbox').press('Enter')
  const grape = part(page, 'Player')
    .getByRole('row', { name: /Grape Soda/ })
    .getByRole('cell')
    .nth(1)
  const before = Number(await grape.textContent())
  await page.getByRole('button', { name: 'Credit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Give drinks to this player' })
  await dialog.getByLabel('Drink').selectOption('Grape Soda')
  await dialog.getByLabel('Amount').fill('7')
  await expect(dialog).toContainText('This creates 7 Grape Soda for the player')
  await connectToSign(page)
  await finish(page, { label: 'Reason', why: 'A present.', doIt: 'Credit' })
  await approve(page, player.address)
  await expect(grape).toHaveText(String(before + 7))
})

test('a key is made, its secret shown once, and ended', async ({ openContext }) => {
  const page = await openDesk(openContext)
  await nav(page, 'Keys and staff').click()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('quests')
  await expectAccessible(page)
  await connectToSign(page)
  await finish(page, { label: 'Reason', why: 'For the quests.', doIt: 'Create key' })
  await approve(page, 'quests')
  await expect(page.getByText(/^jb_[\w-]{43}$/)).toBeVisible()
  await page.getByRole('button', { name: 'I have it' }).click()
  await expect(page.getByText(/^jb_/)).toHaveCount(0)
  const row = part(page, 'Keys').getByRole('row', { name: /quests/ })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('rewards')
  await page.getByRole('dialog').getByLabel('Replaces').selectOption('quests')
  await expectAccessible(page)
  const created = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/studio/keys'))
  await finish(page, { label: 'Reason', why: 'The old secret was shared.', doIt: 'Create key' })
  const quests = await keyNamed('quests')
  await approve(page, quests)
  expect((await created).postDataJSON()).toMatchObject({ name: 'rewards', replaces: quests })
  await page.getByRole('button', { name: 'I have it' }).click()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await finish(page, { label: 'Reason', why: 'The quests are over.', doIt: 'Revoke key' })
  await approve(page, '')
  await expect(row).toContainText('Revoked')
})

test('a webhook is made, looked at and deleted; a drink gets a rule; an audit adds up', async ({ openContext }) => {
  const page = await openDesk(openContext)
  await nav(page, 'Webhooks').click()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('dialog').getByLabel('Address').fill('https://game.example/market')
  await connectToSign(page)
  await finish(page, { label: 'Reason', why: 'The game hears of sales.', doIt: 'Create webhook' })
  await approve(page, 'https://game.example/market')
  await expect(page.getByText(/^whsec_/)).toBeVisible()
  await page.getByRole('button', { name: 'I have it' }).click()
  await act(page, { button: 'Rotate secret', label: 'Reason', why: 'The first one leaked.', doIt: 'Rotate secret' })
  await approve(page, 'Rotate the secret of the webhook')
  await expect(page.getByText(/^whsec_/)).toBeVisible()
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByRole('link', { name: 'Deliveries' }).click()
  await expect(part(page, 'Deliveries')).toBeVisible()
  await expectAccessible(page)
  await act(page, { button: 'Delete', label: 'Reason', why: 'It was a try.', doIt: 'Delete' })
  await expect(page.getByText('There is no webhook yet.')).toBeVisible()

  await nav(page, 'Market').click()
  await page.getByRole('button', { name: 'Change Apple Juice' }).click()
  await page.getByRole('dialog').getByLabel('Minimum unit price (SOL)').fill('0.01')
  await finish(page, { label: 'Reason', why: 'Nobody gives it away.', doIt: 'Save rules' })
  await expect(page.getByRole('row', { name: /Apple Juice/ })).toContainText('at least 0.01')
  await expectAccessible(page)

  await nav(page, 'Audit').click()
  await act(page, { button: 'Start an audit', label: 'Reason', why: 'Every day.', doIt: 'Start' })
  await expect(part(page, 'Everything adds up')).toContainText('Revenue')
  await expectAccessible(page)

  // Anybody finds it again, in another browser and without its address.
  const other = await openDesk(openContext)
  await nav(other, 'Audit').click()
  await expect(part(other, 'Everything adds up')).toContainText('Revenue')
  const row = part(other, 'Latest audits').getByRole('row').nth(1)
  await expect(row).toContainText('Everything adds up')
  await expect(row).toContainText('Since the one before')
  await expect(row.getByRole('link')).toHaveCount(2)
})

test('a checkout is found by its reference, says why it is not completed, is ended, and leads to its purchase', async ({
  openContext,
  trader,
}) => {
  const make = async (clientReference: string) => {
    const body = { tokenType: 'GRAPE_SODA', amount: 2, maxLamports: '900000000', clientReference, idempotencyKey: clientReference }
    return (await server.market.createCheckout({ body: { ...body, returnUrl: 'https://game.example/shop' } })).checkout
  }
  const [seller, buyer] = [await trader(), await trader()]
  const [paid, left] = [await make('order 7'), await make('order 8')]
  const items = [{ listingId: await list(seller, 'GRAPE_SODA', 2, 0.5) }]
  await payHold(buyer, await holdByHand(buyer, items, paid.url.split('/').at(-1)))
  await expect.poll(async () => (await server.market.studioCheckout({ params: { id: paid.id } })).checkout.status).toBe('completed')

  const page = await openDesk(openContext)
  await nav(page, 'Checkouts').click()
  const table = page.getByRole('table', { name: 'Checkouts' })
  await expect(table.getByRole('row')).toHaveCount(3)
  await page.getByLabel('Reference or id').fill('order 8')
  await page.getByRole('search', { name: 'Checkouts' }).getByRole('button', { name: 'Find' }).click()
  await expect(table.getByRole('row')).toHaveCount(2)
  await table.getByRole('link').first().click()
  await expect(page.getByText('The player has not opened the page yet.')).toBeVisible()
  await expect(page.getByText('0.9 SOL at most')).toBeVisible()
  await expectAccessible(page)
  await act(page, { button: 'Expire', label: 'Reason', why: 'The player asked for it.', doIt: 'Expire' })
  await expect(page.getByText('The player never opened the page.')).toBeVisible()
  expect((await server.market.studioCheckout({ params: { id: left.id } })).checkout.status).toBe('expired')

  await page.getByRole('link', { name: 'All checkouts' }).click()
  await page.getByLabel('Reference or id').fill(paid.id)
  await page.keyboard.press('Enter')
  await expect(part(page, '2 Grape Soda')).toContainText('Completed')
  await expect(page.getByRole('table', { name: 'Attempts to pay' })).toContainText('It was paid and delivered.')
  await part(page, '2 Grape Soda').getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: 'Find', level: 2 })).toBeFocused()
})

for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(
      `every part is accessible and nothing is cut off, ${width} pixels, ${colorScheme}`,
      fullOnly((width === 390) === (colorScheme === 'light')),
      async ({ openContext }) => {
        const page = await openDesk(openContext, { viewport: { width, height: 900 }, colorScheme })
        for (const name of ['Today', 'Find', 'Cases', 'Checkouts', 'Market', 'Webhooks', 'Keys and staff', 'Log', 'Audit']) {
          await nav(page, name).click()
          const title = page.getByRole('heading', { name, level: 2 })
          // The page begins at the first part, so its link leads nowhere else.
          await (name === 'Today' ? expect(title).toBeVisible() : expect(title).toBeFocused())
          await expect(page.getByRole('status')).toHaveCount(0)
          await expectAccessible(page)
          expect(await overflow(page), name).toBe(0)
        }
      },
    )
  }
}

test('the desk works with the keyboard alone', async ({ openContext }) => {
  const page = await openDesk(openContext)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await nav(page, 'Market').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Market', level: 2 })).toBeFocused()
  const pause = page.getByRole('button', { name: 'Pause the market' })
  await pause.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Message')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(pause).toBeFocused()
})

test('players load nothing of the desk', () => {
  const dist = new URL('../web/dist/', import.meta.url)
  const read = (file: string) => readFileSync(new URL(file, dist), 'utf8')
  const players = JSON.parse(read('.vite/manifest.json')) as Record<string, { file: string; src?: string; css?: string[] }>
  const desk = JSON.parse(read('.vite/desk.json')) as typeof players
  expect(Object.keys(players).filter((name) => name.includes('desk'))).toEqual([])
  const files = Object.values(players).flatMap(({ file, css = [] }) => [file, ...css])
  const shared = Object.values(desk).filter(({ file }) => files.includes(file))
  expect(shared.map(({ file }) => file).filter((file) => /\.(?:js|css)$/.test(file))).toEqual([])
  const code = [...new Set([...files, 'index.html'])].filter((file) => /\.(?:js|css|html)$/.test(file)).map(read)
  for (const ours of ['/api/studio/', 'desk-nav', 'desk-width', 'studio.html'])
    expect(code.filter((text) => text.includes(ours))).toEqual([])
  const licences = read('licenses.txt')
  const packages = JSON.parse(read('.vite/desk-licenses.json')) as { name: string }[]
  expect(packages.length).toBeGreaterThan(5)
  expect(packages.filter(({ name }) => !licences.includes(`## ${name} - `))).toEqual([])
})

/** After a reload the session is there, and the wallet is asked again when it is needed. */
/** The desk asks for the wallet only where something must be signed. */
async function connectToSign(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Connect to sign' })
  const offered = page.getByRole('dialog').getByRole('button', { name: /Demo Wallet/ })
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toHaveCount(0)
  await button.click()
  // The picker opens if the page has not found the wallet yet; behind it, the button cannot be seen.
  await expect(async () => {
    if (await offered.isVisible()) await offered.click()
    await expect(offered.or(button)).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
}

async function keyNamed(name: string): Promise<string> {
  const { keys } = await server.market.studioKeys({})
  return keys.find((key) => key.name === name)?.id ?? ''
}

async function approve(page: Page, what: string): Promise<void> {
  const wallet = page.getByRole('dialog', { name: 'Demo Wallet: Sign this message' })
  await expect(wallet).toContainText(what)
  await wallet.getByRole('button', { name: 'Approve' }).click()
}
