import { type BrowserContext, type BrowserContextOptions, expect, type Page, test as base } from '@playwright/test'

import { askChain, createWallet, installPhantom, type Phantom, type PhantomOptions } from './phantom.ts'
import { signInByApi, type Trader } from './trader.ts'

/** Somebody at a page, with Phantom in their browser. */
export interface Player {
  page: Page
  phantom: Phantom
  address: string
}

interface Funded {
  /** How much SOL the wallet has, 5 by default. */
  sol?: number
}

interface PlayerOptions extends PhantomOptions, Funded {
  /** The browser profile, a new one by default. */
  profile?: BrowserContext
}

interface Fixtures {
  /** Console errors that a test causes on purpose. */
  allowedErrors: RegExp | undefined
  /** Origins beside the market's that pages of a test ask. */
  otherOrigins: readonly string[]
  /** A new browser profile under watch: an error in the console or a request to another origin fails the test. */
  openContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** A browser with Phantom in it, at the market. */
  openPlayer: (options?: PlayerOptions) => Promise<Player>
  /** The same, signed in. */
  signedIn: (options?: PlayerOptions) => Promise<Player & Trader>
  /** Somebody whose page does not matter: they trade through the API, and no browser has to show it to them. */
  trader: (options?: Funded) => Promise<Trader>
}

/** Leaves a test to `npm run test:full`: it tries what another test has tried at one more width, or in the other colour scheme. */
export function fullOnly(isVariant: boolean): { tag: string[] } {
  return { tag: isVariant ? ['@full'] : [] }
}

export const LAMPORTS_PER_SOL = 1_000_000_000

export const test = base.extend<Fixtures>({
  allowedErrors: [undefined, { option: true }],
  otherOrigins: [[], { option: true }],

  openContext: async ({ browser, baseURL, allowedErrors, otherOrigins }, use) => {
    const contexts: BrowserContext[] = []
    const problems: string[] = []
    const origin = new URL(baseURL ?? '').origin
    await use(async (options) => {
      // Motion is drawn by the processor, and takes about as long as everything else that a page does.
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options, baseURL: origin })
      if (options?.reducedMotion !== 'no-preference') await context.addInitScript(blurNothing)
      contexts.push(context)
      watch(context, [origin, ...otherOrigins], allowedErrors, problems)
      return context
    })
    await Promise.all(contexts.map(closeContext))
    expect(problems, 'no console error and no request to another origin').toEqual([])
  },

  context: async ({ openContext }, use) => use(await openContext()),
  page: async ({ context }, use) => use(await context.newPage()),

  openPlayer: async ({ openContext, baseURL }, use) => {
    const origin = new URL(baseURL ?? '').origin
    await use(async ({ sol, profile, ...options } = {}) => {
      const context = profile ?? (await openContext())
      const phantom = await installPhantom(context, origin, options)
      await fund(origin, phantom.address, sol)
      const page = await context.newPage()
      await page.goto('/')
      return { page, phantom, address: phantom.address }
    })
  },

  signedIn: async ({ openContext, baseURL }, use) => {
    const origin = new URL(baseURL ?? '').origin
    await use(async ({ sol, profile, ...options } = {}) => {
      const context = profile ?? (await openContext())
      const phantom = await installPhantom(context, origin, options)
      const [trader] = await Promise.all([signInByApi(phantom, origin), fund(origin, phantom.address, sol)])
      await keepSession(context, trader.jwt)
      const page = await context.newPage()
      await page.goto('/')
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(page.getByRole('button', { name: phantom.address.slice(0, 4) })).toBeVisible()
      return { ...trader, page, phantom }
    })
  },

  trader: async ({ baseURL }, use) => {
    const origin = new URL(baseURL ?? '').origin
    await use(async ({ sol } = {}) => {
      const wallet = await createWallet()
      const [trader] = await Promise.all([signInByApi(wallet, origin), fund(origin, wallet.address, sol)])
      return trader
    })
  },
})

/** Leaves in a browser profile what a page leaves there at which somebody signed in with Phantom, before any page is opened. */
async function keepSession(context: BrowserContext, jwt: string): Promise<void> {
  await context.addInitScript((given) => {
    // Once: what the page makes of it is the page's.
    if (!location.protocol.startsWith('http') || localStorage.getItem('session-was-given')) return
    localStorage.setItem('session-was-given', 'yes')
    localStorage.setItem('jwt_token', given)
    localStorage.setItem('walletName', '"Phantom"')
  }, jwt)
}

/** Chooses Phantom, and waits until the login is complete. */
export async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Phantom/ })
    .click()
  await expect(page.getByRole('tab', { name: 'Inventory' })).toBeVisible()
}

/** Lists some of the player's drinks, and returns to the market. */
export async function sell(page: Page, drink: string, amount: number, price: number): Promise<void> {
  await page.getByRole('tab', { name: 'Inventory' }).click()
  await page.getByRole('article').filter({ hasText: drink }).getByRole('button', { name: 'Sell' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sell Tokens' })
  await dialog.getByLabel('Token Amount').fill(String(amount))
  await dialog.getByLabel('Price (SOL)').fill(String(price))
  await dialog.getByRole('button', { name: 'List Item' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Listing created successfully!' }).last()).toBeVisible()
  await expect(dialog).toBeHidden()
  await page.getByRole('tab', { name: 'Market' }).click()
}

/** A card shows so many characters of its seller's address. */
const SELLER_SHOWN = 8

/** Finds the only listing of a seller through the market's search. */
export async function findListing(page: Page, seller: string) {
  await page.getByPlaceholder('Search...').fill(seller)
  const cards = page.getByRole('article')
  const own = cards.filter({ hasText: seller.slice(0, SELLER_SHOWN) })
  // The cards of the search before may still be there.
  await expect(cards).toHaveCount(1)
  await expect(own).toHaveCount(1)
  return own
}

/** A wallet's SOL in lamports. */
export async function lamportsOf(origin: string, address: string): Promise<number> {
  const result = (await askChain(origin, 'getBalance', [address, { commitment: 'confirmed' }])) as { value: number }
  return result.value
}

async function fund(origin: string, address: string, sol = 5): Promise<void> {
  if (sol === 0) return
  await askChain(origin, 'requestAirdrop', [address, sol * LAMPORTS_PER_SOL])
  await expect.poll(() => lamportsOf(origin, address)).toBe(sol * LAMPORTS_PER_SOL)
}

/** A page may ask until the last moment. What a test would have answered then is of no interest. */
async function closeContext(context: BrowserContext): Promise<void> {
  const behavior = 'ignoreErrors'
  await Promise.all([context.unrouteAll({ behavior }), ...context.pages().map((page) => page.unrouteAll({ behavior }))])
  await context.close()
}

/** Without a graphics card, a blur costs a third of all that Chromium does. Tests of motion keep it. */
function blurNothing(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { backdrop-filter: none !important; caret-color: transparent !important }')
  document.adoptedStyleSheets = [sheet]
}

function watch(context: BrowserContext, origins: readonly string[], allowed: RegExp | undefined, problems: string[]): void {
  context.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !allowed?.test(text)) problems.push(`console: ${text} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(`page: ${error.error().message}`))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && !origins.includes(url.origin)) problems.push(`request: ${request.url()}`)
  })
}

export { expect }

/** The red banner below the header. Toasts are alerts too, but without a Dismiss button. */
export function banner(page: Page) {
  return page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Dismiss' }) })
}
