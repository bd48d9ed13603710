import { ORIGIN, signInWithDemoWallet } from './market.mjs'
import { showFewTrades, showTrades } from './made-up-trades.mjs'

const KEY = 'the-studio-key-of-the-sheet'
/** What the market of the pictures is started with. */
export const settings = { STUDIO_API_KEY: KEY, CHECKOUT_ORIGINS: 'https://game.example' }
const SELLERS = ['8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW', '5p6EiuEMu3rDJjSPmDpAUhNSDhHwoTBUBmLQYQfMnuFS']
const DRINKS = /** @type {const} */ ([
  ['APPLE_JUICE', 'Apple Juice'],
  ['ORANGE_JUICE', 'Orange Juice'],
  ['GRAPE_SODA', 'Grape Soda'],
])
const SINCE = '2026-01-01T00:00:00.000Z'
/** In seconds: how old the market is that is shown while the database is away. */
const OUTAGE_SECONDS = 20
const LISTINGS = '**/api/marketplace/listings?*'
const CHECKOUT = '**/api/checkouts/*'

/**
 * @typedef {import('@playwright/test').Page} Page
 * @typedef {import('@playwright/test').Route} Route
 * @typedef {import('@playwright/test').BrowserContext} Context
 * @typedef {Awaited<ReturnType<Context['storageState']>>} Session
 * @typedef {(route: Route) => Promise<void>} Answer
 */

/**
 * @typedef {object} State A screen in a state.
 * @property {string} name
 * @property {'visitor' | 'player' | 'staff'} who
 * @property {string | ((prepared: Prepared) => string)} [path]
 * @property {Record<string, Answer>} [answers] what some addresses answer in place of the server
 * @property {(page: Page) => Promise<void>} [routes]
 * @property {(page: Page) => Promise<unknown>} [open] what somebody does there
 */

/** @typedef {{ player: Session, staff: Session, checkouts: Record<string, string>, ownListing: string, anyListing: string }} Prepared */

/** @type {(json: object) => Answer} */
const always = (json) => (route) => route.fulfill({ json })

/** @type {(change: (body: any) => object) => Answer} */
const changed = (change) => async (route) => {
  const response = await route.fetch()
  await route.fulfill({ response, json: change(await response.json()) })
}

/** @param {number} count */
function listings(count) {
  return Array.from({ length: count }, (_, index) => {
    const [tokenType, tokenName] = DRINKS[index % DRINKS.length] ?? DRINKS[0]
    const amount = 4 + ((index * 13) % 60)
    const price = Number((amount * (0.0042 + (index % 5) * 0.0011)).toFixed(3))
    const money = { price, lamports: String(Math.round(price * 1e9)), unitPrice: price / amount }
    const held = index === 4 ? { heldUntil: '2099-01-01T00:00:00.000Z' } : { heldUntil: null }
    const seller = SELLERS[index % SELLERS.length]
    return {
      _id: `made-up-${index}`,
      seller,
      tokenName,
      tokenType,
      amount,
      ...money,
      divisible: true,
      status: 'active',
      ...held,
      createdAt: SINCE,
    }
  })
}

const many = { [LISTINGS]: always({ listings: listings(24), nextCursor: null }) }
const paused = {
  '**/api/config': changed((config) => ({ ...config, pause: { message: 'We are putting in a new bar. Back at noon.', since: SINCE } })),
}
const away = {
  '**/health': /** @type {Answer} */ ((route) => route.fulfill({ status: 503, json: { status: 'down', database: 'down', chain: 'ok' } })),
  [LISTINGS]: /** @type {Answer} */ (
    (route) => route.fulfill({ json: { listings: listings(24), nextCursor: null }, headers: { age: String(OUTAGE_SECONDS) } })
  ),
}
/** @type {(page: Page) => Promise<void>} */
const article = (page) => page.getByRole('article').first().waitFor()
/** @type {(name: string) => (page: Page) => Promise<void>} */
const heading = (name) => (page) => page.getByRole('heading', { name }).first().waitFor()
/** @type {(name: string) => (page: Page) => Promise<void>} */
const tab = (name) => (page) => page.getByRole('tab', { name }).click()
/** @type {(page: Page) => Promise<void>} */
const chart = (page) => page.getByRole('group', { name: 'How far back' }).waitFor()

/** @type {(page: Page) => Promise<void>} */
const outcome = (page) =>
  page
    .getByRole('main')
    .getByRole('button', { name: /^(Pay|Use another wallet|Back to)/ })
    .or(page.getByText('A payment for this checkout is under way. This page'))
    .first()
    .waitFor()

/** @type {State[]} */
export const states = [
  {
    name: 'market empty, visitor',
    who: 'visitor',
    answers: { [LISTINGS]: always({ listings: [], nextCursor: null }) },
    open: heading('No listings yet'),
  },
  {
    name: 'market few, visitor',
    who: 'visitor',
    answers: { [LISTINGS]: always({ listings: listings(2), nextCursor: null }) },
    open: article,
  },
  { name: 'market many, visitor', who: 'visitor', answers: many, routes: showTrades, open: article },
  { name: 'market many, player', who: 'player', answers: many, routes: showTrades, open: article },
  {
    name: 'market, one drink',
    who: 'player',
    answers: many,
    routes: showTrades,
    open: (page) => page.locator('.chip', { hasText: 'Grape Soda' }).click(),
  },
  { name: 'market paused', who: 'visitor', answers: { ...many, ...paused }, open: article },
  { name: 'reconnecting', who: 'visitor', answers: away, open: (page) => page.locator('.as-of-bar').waitFor() },
  {
    name: 'server unavailable',
    who: 'visitor',
    answers: { '**/{health,api/**}': (route) => route.abort() },
    open: heading('Server Unavailable'),
  },
  { name: 'not found', who: 'visitor', path: '/no/such/page', open: heading('There is no page at this address') },
  { name: 'drink unknown', who: 'visitor', path: '/drink/NOTHING' },
  ...[0, 1, 3, 5].map((count) => ({
    name: `drink, ${count} trades`,
    who: /** @type {const} */ ('visitor'),
    path: '/drink/GRAPE_SODA',
    routes: /** @type {(page: Page) => Promise<void>} */ ((page) => showFewTrades(page, count)),
    open: /** @type {(page: Page) => Promise<void>} */ ((page) => page.getByRole('heading', { name: 'Grape Soda' }).first().waitFor()),
  })),
  { name: 'drink, many trades', who: 'visitor', path: '/drink/GRAPE_SODA', routes: showTrades, open: chart },
  { name: 'drink, player', who: 'player', path: '/drink/GRAPE_SODA', routes: showTrades, open: chart },
  {
    name: 'listing dialog',
    who: 'visitor',
    path: ({ anyListing }) => `/listing/${anyListing}`,
    open: (page) => page.getByRole('dialog').waitFor(),
  },
  {
    name: 'listing own',
    who: 'player',
    path: ({ ownListing }) => `/listing/${ownListing}`,
    open: (page) => page.getByRole('dialog').waitFor(),
  },
  {
    name: 'buy dialog',
    who: 'player',
    open: async (page) => {
      await page.getByRole('button', { name: 'Buy', exact: true }).first().click()
      await page.getByRole('button', { name: /^Pay / }).waitFor()
    },
  },
  { name: 'delivered', who: 'player', open: buy },
  { name: 'inventory', who: 'player', open: tab('Inventory') },
  {
    name: 'sell dialog',
    who: 'player',
    open: async (page) => {
      await tab('Inventory')(page)
      await page.getByRole('button', { name: 'Sell' }).first().click()
      await page.getByLabel('Token Amount').fill('20')
      await page.getByLabel('Price (SOL)').fill('0.11')
    },
  },
  { name: 'my listings', who: 'player', open: tab('My Listings') },
  {
    name: 'my listings, price change',
    who: 'player',
    open: async (page) => {
      await tab('My Listings')(page)
      await page.getByRole('button', { name: 'Change price' }).first().click()
    },
  },
  {
    name: 'alerts',
    who: 'player',
    path: '/drink/GRAPE_SODA',
    answers: {
      '**/api/marketplace/alerts': always({
        alerts: [
          { id: 'b', tokenType: 'GRAPE_SODA', below: 0.004, createdAt: SINCE, firedAt: null, price: null },
          { id: 'a', tokenType: 'GRAPE_SODA', below: 0.02, createdAt: SINCE, firedAt: SINCE, price: 0.0195 },
        ],
      }),
    },
    open: async (page) => {
      await page.getByRole('button', { name: 'Tell me about Grape Soda' }).click()
      await page.getByRole('dialog').getByRole('listitem').first().waitFor()
    },
  },
  { name: 'cases', who: 'player', answers: { ...many, '**/api/marketplace/cases*': openCase }, open: heading('Needs attention') },
  ...Object.entries({
    open: {},
    'another wallet': {},
    'too little for sale': {},
    'above what it may cost': {},
    expired: { status: 'expired', millisLeft: 0 },
    paid: { status: 'completed' },
    'being paid': { status: 'paying' },
    'item not traded any more': { tokenType: 'OLD_TEA', tokenName: 'Old Tea' },
  }).map(([name, change]) => ({
    name: `checkout ${name}`,
    who: /** @type {const} */ ('player'),
    path: /** @type {(prepared: Prepared) => string} */ (({ checkouts }) => checkouts[name] ?? checkouts['open'] ?? ''),
    answers: { [CHECKOUT]: changed(({ checkout }) => ({ checkout: { ...checkout, ...change } })) },
    open: outcome,
  })),
  { name: 'checkout, visitor', who: 'visitor', path: ({ checkouts }) => checkouts['open'] ?? '' },
  { name: 'checkout paused', who: 'player', path: ({ checkouts }) => checkouts['open'] ?? '', answers: paused, open: outcome },
  { name: 'checkout missing', who: 'visitor', path: '/checkout/nothing', open: heading('This checkout does not exist') },
  { name: 'desk, sign in', who: 'visitor', path: '/studio' },
  ...['today', 'find', 'cases', 'checkouts', 'market', 'webhooks', 'access', 'log', 'audit'].map((part) => ({
    name: `desk, ${part}`,
    who: /** @type {const} */ ('staff'),
    path: `/studio#${part}`,
    open: /** @type {(page: Page) => Promise<void>} */ ((page) => page.getByRole('navigation', { name: 'Desk' }).waitFor()),
  })),
  {
    name: 'desk, create webhook',
    who: 'staff',
    path: '/studio#webhooks',
    open: (page) => page.getByRole('button', { name: 'Create webhook' }).click(),
  },
]

/** @type {Answer} */
async function openCase(route) {
  const kind = { kind: 'wrong', status: 'open', explanation: 'The buyer paid 0.4 SOL in place of 0.5 SOL. Refund it with one click.' }
  const sides = { purchaseId: 'p', listingId: 'l', buyer: SELLERS[0], seller: SELLERS[1] }
  const item = {
    tokenType: 'APPLE_JUICE',
    tokenName: 'Apple Juice',
    amount: 5,
    price: 0.4,
    lamports: '400000000',
    agreedLamports: '500000000',
  }
  const end = { fee: null, signature: '5'.repeat(88), refundSignature: null, refundable: true, openedAt: SINCE, closedAt: null, note: null }
  await route.fulfill({ json: { cases: [{ caseId: 'c', ...kind, ...sides, ...item, ...end }], nextCursor: null } })
}

/**
 * Buys the first listing.
 *
 * @param {Page} page
 */
async function buy(page) {
  await page.getByRole('button', { name: 'Buy', exact: true }).first().click()
  await approvePayment(page)
  await page.getByRole('alert').filter({ hasText: 'Purchase successful!' }).waitFor()
}

/**
 * Presses *Pay*, and has the Demo Wallet sign.
 *
 * @param {Page} page
 */
export async function approvePayment(page) {
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.getByRole('dialog', { name: 'Demo Wallet: Send this payment' }).getByRole('button', { name: 'Approve' }).click()
}

/**
 * Signs in a player and somebody of the staff, and makes what the states need on the server.
 *
 * @param {import('@playwright/test').Browser} browser
 * @returns {Promise<Prepared>}
 */
export async function prepare(browser) {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signInWithDemoWallet(page, ORIGIN)
  await page.getByText('5.0000').first().waitFor()
  await buy(page)
  const jwt = (await page.evaluate(() => localStorage.getItem('jwt_token'))) ?? ''
  /** @type {{ listing: { _id: string, seller: string } }[]} */
  const own = []
  for (const [tokenType, amount, price] of /** @type {const} */ ([
    ['APPLE_JUICE', 20, 0.11],
    ['GRAPE_SODA', 3, 0.04],
  ]))
    own.push(await ask('POST', 'marketplace/listings', jwt, { tokenType, amount, price, divisible: true }))
  const player = await context.storageState()
  await context.close()
  const { listings: sold } = await ask('GET', 'marketplace/listings?sort=newest', jwt)
  const others = sold.find((/** @type {{ seller: string }} */ { seller }) => seller !== own[0]?.listing.seller)
  const staff = await signInStaff(browser)
  await ask('POST', 'studio/webhooks', KEY, { url: 'https://game.example/market', events: ['sale.settled', 'sale.reversed'] })
  await ask('POST', 'studio/keys', KEY, { name: 'Shop of the game', scopes: ['read', 'checkout'], reason: 'For the pictures' })
  return { player, staff, checkouts: await makeCheckouts(), ownListing: own[0]?.listing._id ?? '', anyListing: others._id }
}

async function makeCheckouts() {
  const wanted = {
    open: {},
    'another wallet': { wallet: SELLERS[0] },
    'too little for sale': { amount: 900_000 },
    'above what it may cost': { maxLamports: '1000000' },
  }
  /** @type {Record<string, string>} */
  const paths = {}
  for (const [name, change] of Object.entries(wanted)) {
    const usual = {
      tokenType: 'GRAPE_SODA',
      amount: 3,
      returnUrl: 'https://game.example/shop',
      clientReference: `order ${name}`,
      idempotencyKey: name,
    }
    const { checkout } = await ask('POST', 'studio/checkouts', KEY, { ...usual, ...change })
    paths[name] = new URL(checkout.url).pathname
  }
  return paths
}

/** @param {import('@playwright/test').Browser} browser */
async function signInStaff(browser) {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signInWithDemoWallet(page, `${ORIGIN}/studio`)
  await page.getByRole('heading', { name: 'This wallet does not belong to the studio’s staff' }).waitFor()
  const address = await page.locator('main p').first().textContent()
  const scopes = ['read', 'credit', 'debit', 'checkout', 'cases', 'rules', 'admin']
  await ask('PUT', `studio/staff/${address}`, KEY, { scopes, name: 'Ada' })
  const session = await context.storageState()
  await context.close()
  return session
}

/**
 * @param {string} method
 * @param {string} path
 * @param {string} key
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, key, body) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const reply = await fetch(`${ORIGIN}/api/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!reply.ok) throw new Error(`${method} ${path} was answered with ${reply.status}: ${await reply.text()}`)
  return reply.json()
}
