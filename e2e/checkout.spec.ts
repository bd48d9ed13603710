import { randomUUID } from 'node:crypto'

import { type Body, type Reply } from '@juicebar/contract/calls'
import { type Checkout } from '@juicebar/contract/schemas'
import { type Page, type Route } from '@playwright/test'

import { expectAccessibleByDayAndNight } from './support/accessible.ts'
import { list, remove } from './support/api-listing.ts'
import { type Game, startExampleGame, startGame } from './support/game.ts'
import { type OwnServer, startOwnServer } from './support/own-server.ts'
import { banner, expect, test } from './support/test.ts'

const port = Number(process.env['E2E_PORT'] ?? '3210') + 20
const origin = `http://localhost:${port}`
const gameOrigin = `http://127.0.0.1:${port + 1}`
const shopOrigin = `http://localhost:${port + 2}`
const PAYMENTS = '**/api/marketplace/payments'

test.use({ baseURL: origin, otherOrigins: [gameOrigin, shopOrigin], allowedErrors: /Failed to load resource/ })
test.describe.configure({ mode: 'serial' })

let server: OwnServer
let game: Game

test.beforeAll(async () => {
  ;[server, game] = await Promise.all([
    startOwnServer(port, { CHECKOUT_ORIGINS: `${gameOrigin},${shopOrigin}`, WEBHOOK_ALLOW_PRIVATE: 'on' }),
    startGame(port + 1),
  ])
})
test.afterAll(async () => {
  await Promise.all([server.stop(), game.stop()])
})

/** The cheapest three Grape Soda of the market, for 0.003 SOL. */
async function makeCheckout(wanted: Partial<Body<'createCheckout'>> = {}): Promise<Checkout> {
  const returnUrl = `${gameOrigin}/shop?room=7`
  const body = { tokenType: 'GRAPE_SODA', amount: 3, returnUrl, idempotencyKey: randomUUID(), ...wanted }
  return (await server.market.createCheckout({ body })).checkout
}

async function statusOf({ id }: Checkout): Promise<string> {
  return (await server.market.studioCheckout({ params: { id } })).checkout.status
}

const back = ({ id }: Checkout, status: string) => `${gameOrigin}/shop?room=7&checkout=${id}&status=${status}`
const pay = (page: Page) => page.getByRole('button', { name: 'Pay 0.003 SOL' })

test('a player pays with one press, and is back in the game with the result', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1 })
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await expect(page).toHaveTitle('3 Grape Soda · Juicebar Marketplace')
  await expect(page.getByText(`You return to ${new URL(gameOrigin).host}`)).toBeVisible()
  await expect(pay(page)).toBeEnabled()
  await expectAccessibleByDayAndNight(page)
  await pay(page).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Delivered, done' })).toBeVisible()
  await expect(page.getByRole('definition').first()).toHaveText('0.003 SOL')
  await expect(page.getByRole('button', { name: 'Back to' })).toBeVisible()
  await page.waitForURL(back(checkout, 'completed'))
  expect(await statusOf(checkout)).toBe('completed')
})

test('a visitor connects, signs in and pays, and has the page’s button in view in a small pop-up', async ({ openPlayer, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await openPlayer({ sol: 1 })
  await page.setViewportSize({ width: 420, height: 640 })
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await expect(page.getByRole('button', { name: 'Connect wallet' })).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Connect wallet' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(pay(page)).toBeInViewport({ ratio: 1 })
  await pay(page).click()
  await page.waitForURL(back(checkout, 'completed'))
})

test('a new Demo Wallet can pay once its test SOL is there, and not before', async ({ page, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const checkout = await makeCheckout()
  let give = () => {}
  const given = new Promise<void>((resolve) => (give = resolve))
  await page.route('**/rpc', async (route) => {
    if (route.request().postData()?.includes('requestAirdrop')) await given
    await route.continue()
  })
  await page.goto(checkout.url)
  await page.getByRole('button', { name: 'Connect wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('button', { name: 'One moment' })).toBeDisabled()
  give()
  await pay(page).click()
  await page.getByRole('dialog', { name: 'Demo Wallet: Send this payment' }).getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(back(checkout, 'completed'))
})

test('a wallet that only sends by itself pays, and the player is back in the game', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1, sendsByItself: true })
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await pay(page).click()
  await page.waitForURL(back(checkout, 'completed'))
  expect(await statusOf(checkout)).toBe('completed')
})

test('a pop-up tells the game once, and closes', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1 })
  const checkout = await makeCheckout()
  await page.goto(`${gameOrigin}/?opens=${encodeURIComponent(checkout.url)}`)
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Buy' }).click()
  const popup = await opened
  await pay(popup).click()
  await popup.waitForEvent('close')
  const message = { type: 'juicebar.checkout', id: checkout.id, status: 'completed' }
  await expect(page.getByRole('listitem')).toHaveText([`${origin} ${JSON.stringify(message)}`])
})

test('the shop of the example game sells in a pop-up, and delivers what its server knows to be paid', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'APPLE_JUICE', 3, 0.003)
  const shop = await startExampleGame(port + 2, origin)
  try {
    const { page } = await signedIn({ sol: 1 })
    await expect(async () => void (await page.goto(shop.origin))).toPass()
    const [first] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Buy 3 Apple Juice' }).click()])
    await first.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('Nothing was bought.')).toBeVisible()
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Buy 3 Apple Juice' }).click()])
    await pay(popup).click()
    await expect(page.getByText('Delivered. Enjoy!')).toBeVisible()
    expect(popup.isClosed()).toBe(true)
  } finally {
    await shop.stop()
  }
})

test('whoever cancels is back in the game, and the checkout stays open', async ({ page }) => {
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(back(checkout, 'cancelled'))
  expect(await statusOf(checkout)).toBe('open')
})

test('an expired checkout says so, and leads back', async ({ page }) => {
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await expect(page.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
  await server.market.expireCheckout({ params: { id: checkout.id } })
  await expect(page.getByText('The time to pay is over.')).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  await page.getByRole('button', { name: 'Back to' }).click()
  await page.waitForURL(back(checkout, 'expired'))
})

test('an address without a checkout says so, and leads to the market', async ({ page }) => {
  await page.goto('/checkout/nothing')
  await expect(page.getByRole('heading', { name: 'This checkout does not exist' })).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  await page.getByRole('link', { name: 'Go to the market' }).click()
  await expect(page.getByRole('article').first()).toBeVisible()
})

test('of two players who pay one checkout, the slower one pays nothing, and sees that it is paid', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const [slow, fast] = await Promise.all([signedIn({ sol: 1, approvesAfter: 8_000 }), signedIn({ sol: 1 })])
  const checkout = await makeCheckout()
  await Promise.all([slow.page.goto(checkout.url), fast.page.goto(checkout.url)])
  await pay(slow.page).click()
  await expect(slow.page.getByRole('listitem').filter({ hasText: 'Approve in your wallet' })).toHaveAttribute('aria-current', 'step')
  await pay(fast.page).click()
  await fast.page.waitForURL(back(checkout, 'completed'))
  await expect(banner(slow.page)).toContainText('This checkout has been paid already.')
  await expect(slow.page.getByText('This checkout has been paid, and everything is delivered.')).toBeVisible()
  await expectAccessibleByDayAndNight(slow.page)
})

test('a tab that does not pay shows that it is being paid, and then that it was', async ({ page }) => {
  const checkout = await makeCheckout()
  let status = 'paying'
  await page.route('**/api/checkouts/*', async (route) => {
    const response = await route.fetch()
    const reply = (await response.json()) as Reply<'checkout'>
    await route.fulfill({ response, json: { checkout: { ...reply.checkout, status } } })
  })
  await page.goto(checkout.url)
  await expect(page.getByText('This page shows what becomes of it.')).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  status = 'open'
  await expect(page.getByRole('status').filter({ hasText: 'this checkout is open again' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Connect wallet' })).toBeEnabled()
  status = 'completed'
  await expect(page.getByText('This checkout has been paid')).not.toHaveCount(0)
})

test('after a reload while the wallet asks, one press pays', async ({ signedIn, trader }) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1, approvesAfter: 3_000 })
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  await pay(page).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Approve in your wallet' })).toBeVisible()
  await page.reload()
  await pay(page).click()
  await page.waitForURL(back(checkout, 'completed'))
})

test('a signed payment that nobody has answered for is submitted again after a reload, for the same checkout', async ({
  signedIn,
  trader,
}) => {
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1 })
  const checkout = await makeCheckout()
  const sent: (string | null)[] = []
  const lose = async (route: Route) => {
    sent.push(route.request().postData())
    await route.abort()
  }
  await page.route(PAYMENTS, lose)
  await page.goto(checkout.url)
  await pay(page).click()
  await expect(page.getByRole('status').filter({ hasText: 'The market has not answered yet.' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('status').filter({ hasText: 'do not approve another one for this' })).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  const repeated = page.waitForRequest(PAYMENTS)
  await page.unroute(PAYMENTS, lose)
  expect((await repeated).postData()).toBe(sent[0])
  expect(JSON.parse(sent[0] ?? '')).toHaveProperty('checkout', new URL(checkout.url).pathname.split('/').at(-1))
  await page.waitForURL(back(checkout, 'completed'))
})

test('a payment that ended unpaid while the page was closed is no delivery, even if somebody else has paid meanwhile', async ({
  signedIn,
  trader,
}) => {
  const seller = await trader({ sol: 1 })
  const listing = await list(seller, 'GRAPE_SODA', 3, 0.003)
  const { page, address } = await signedIn({ sol: 1 })
  const checkout = await makeCheckout()
  await page.route(PAYMENTS, (route) => route.abort())
  await page.goto(checkout.url)
  await pay(page).click()
  await expect(page.getByRole('status').filter({ hasText: 'The market has not answered yet.' })).toBeVisible()
  const ended = { purchaseId: 'ended', buyer: address, status: 'ended', endReason: 'expired', items: [], createdAt: checkout.createdAt }
  await page.route(PAYMENTS, (route) => route.fulfill({ json: { purchaseId: ended.purchaseId, signature: 'signature' } }))
  await page.route(`**/api/marketplace/purchases/${ended.purchaseId}`, (route) => route.fulfill({ json: { purchase: ended } }))
  await page.route('**/api/checkouts/*', async (route) => {
    const response = await route.fetch()
    const read = (await response.json()) as Reply<'checkout'>
    await route.fulfill({ response, json: { checkout: { ...read.checkout, status: 'completed' } } })
  })
  await page.reload()
  await expect(banner(page)).toContainText('it can no longer land. No SOL moved.')
  await expect(page.getByText('This checkout has been paid, and everything is delivered.')).toBeVisible()
  await expect(page.getByRole('definition')).toHaveCount(0)
  await remove(seller, listing)
})

test('whoever was too slow with a listing sees the new price, and pays it with one press', async ({ signedIn, trader }) => {
  const [first, second] = [await trader({ sol: 1 }), await trader({ sol: 1 })]
  const taken = await list(first, 'GRAPE_SODA', 3, 0.003)
  await list(second, 'GRAPE_SODA', 3, 0.006)
  const { page } = await signedIn({ sol: 1 })
  const checkout = await makeCheckout()
  await page.goto(checkout.url)
  const takeIt = async (route: Route) => {
    await remove(first, taken)
    await route.continue()
  }
  await page.route(PAYMENTS, takeIt, { times: 1 })
  await pay(page).click()
  await expect(banner(page)).toContainText('Someone else was faster. Your payment was not sent.')
  await expect(banner(page)).not.toContainText('best price')
  await page.getByRole('button', { name: 'Pay 0.006 SOL' }).click()
  await page.waitForURL(back(checkout, 'completed'))
})

test('the focus stays on the page when what was focused is replaced by the way back, and again when it can be paid', async ({
  openPlayer,
  trader,
}) => {
  const seller = await trader({ sol: 1 })
  const { page } = await openPlayer({ sol: 1 })
  const checkout = await makeCheckout({ amount: 1_000_000 })
  const card = page.getByRole('region', { name: '1,000,000 Grape Soda' })
  let sells = true
  await page.route(/\/api\/marketplace\/quote/, async (route) => {
    const response = await route.fetch()
    const quote = (await response.json()) as Reply<'quote'>
    await route.fulfill({ response, json: sells ? { ...quote, amount: 1_000_000, complete: true } : quote })
  })
  await page.goto(checkout.url)
  await page.getByRole('button', { name: 'Connect wallet' }).focus()
  const change = async () => {
    sells = !sells
    await list(seller, 'GRAPE_SODA', 1, 0.5)
  }
  await change()
  await expect(card).toBeFocused()
  await page.getByRole('button', { name: 'Back to' }).focus()
  await change()
  await expect(card).toBeFocused()
})

test('a checkout for another wallet says which way out there is', async ({ signedIn, trader }) => {
  const other = await trader({ sol: 0 })
  await list(await trader({ sol: 1 }), 'GRAPE_SODA', 3, 0.003)
  const { page } = await signedIn({ sol: 1 })
  await page.goto((await makeCheckout({ wallet: other.address })).url)
  await expect(
    page.getByRole('status').filter({ hasText: /^This checkout is for another wallet, not for \w{4}\.\.\w{4}\. / }),
  ).toBeVisible()
  await expectAccessibleByDayAndNight(page)
  await page.getByRole('button', { name: 'Use another wallet' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
})

test('a price above what the game allows is named with both numbers, and too little for sale with its number', async ({ page, trader }) => {
  const seller = await trader({ sol: 1 })
  await list(seller, 'GRAPE_SODA', 2, 0.002)
  await page.goto((await makeCheckout({ amount: 2, maxLamports: '1000000' })).url)
  await expect(page.getByRole('status').filter({ hasText: 'instead of at most 0.001 SOL' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Back to 127\.0\.0\.1/ })).toBeVisible()
  await page.goto((await makeCheckout({ amount: 1_000_000 })).url)
  await expect(page.getByRole('status').filter({ hasText: /^Only [\d,]+ of 1,000,000 are for sale right now\./ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Connect wallet' })).toHaveCount(0)
  await page.getByRole('button', { name: /^Back to 127\.0\.0\.1/ }).click()
  await page.waitForURL(/[?&]status=cancelled$/)
})
