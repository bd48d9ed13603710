import { readFileSync, statSync } from 'node:fs'

import { type Page, type Response } from '@playwright/test'

import { expect, test } from './support/test.ts'

interface Chunk {
  file: string
  imports?: string[]
}

const dist = new URL('../web/dist/', import.meta.url)
/** The most that a visitor may download before the market can be used: JavaScript compressed with Brotli, and how many files and replies. */
const MAX_SCRIPT_BYTES = 87_800
/** The same with what comes when the page is there and idle: what keeps the prices above the cards up to date, and follows the market's events. */
const MAX_SCRIPT_BYTES_IN_ALL = 93_750
const MAX_REQUESTS = 20
/** The same for everything that is downloaded, typefaces included, as it is compressed on the way. */
const MAX_BYTES = 180_000

/** What keeps the prices above the cards up to date, with their lines. The prices themselves are in the HTML. */
const figures = /\/assets\/figures-|\/marketplace\/(?:summary|candles)/

/** What comes when the page is idle. */
const idle = /\/assets\/(?:figures|follow-events)-|\/marketplace\/(?:summary|candles)/

/** Everything that the page downloads, in the order of its requests. */
function watchDownloads(page: Page): Response[] {
  const downloads: Response[] = []
  page.on('response', (response) => downloads.push(response))
  return downloads
}

/** The market can be used: its listings are there and changes arrive. */
async function untilUsable(page: Page): Promise<void> {
  await expect(page.getByRole('article').first()).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible()
}

test('what a visitor downloads before the market can be used is little, in few requests', async ({ page }) => {
  const downloads = watchDownloads(page)
  await page.goto('/')
  await untilUsable(page)
  await expect(page.getByRole('region', { name: 'Prices' }).getByRole('link')).toHaveCount(3)
  const first = downloads.filter((response) => !idle.test(response.url()))
  expect(first.length).toBeLessThanOrEqual(MAX_REQUESTS)

  let bytes = 0
  for (const response of first) if (!response.url().endsWith('/events')) bytes += (await response.request().sizes()).responseBodySize
  expect(scriptBytes(first)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  expect(scriptBytes(downloads)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES_IN_ALL)
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
})

/** Browsers ask for Brotli over HTTPS only, so that this one gets gzip. */
function scriptBytes(downloads: readonly Response[]): number {
  const scripts = downloads.map((response) => new URL(response.url()).pathname).filter((pathname) => pathname.endsWith('.js'))
  const sizes = scripts.map((pathname) =>
    [`.${pathname}.br`, `.${pathname}`].flatMap((name) => statSync(new URL(name, dist), { throwIfNoEntry: false }) ?? []),
  )
  return sizes.reduce((sum, [file]) => sum + (file?.size ?? 0), 0)
}

test('what a visitor downloads at once is free of what only traders need', () => {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Record<string, Chunk>
  const code = [...needed(manifest, 'index.html')].map((name) => readFileSync(new URL(manifest[name]?.file ?? '', dist), 'utf8')).join('')
  for (const foreign of ['~kind', 'base-ui', 'marketplace/candles', 'TransactionMessage', 'mobile-wallet-adapter', 'demoWalletSeed'])
    expect(code).not.toContain(foreign)
})

test('the prices above the cards are not asked for before the page is there', async ({ page }) => {
  const order: string[] = []
  page.on('load', () => order.push('page'))
  page.on('request', (request) => figures.test(request.url()) && order.push('prices'))
  await page.goto('/')
  await untilUsable(page)
  await expect(page.getByRole('region', { name: 'Prices' }).getByRole('link')).toHaveCount(3)
  await expect.poll(() => order.slice(0, 2)).toEqual(['page', 'prices'])
})

test('nothing but the prices and the market’s events is downloaded until somebody touches the page, or nobody has for ten seconds', async ({
  page,
}) => {
  const lazy: string[] = []
  page.on(
    'request',
    (request) => /\/assets\/(?!index-|react-|rolldown-|figures-|follow-events-).*\.js$/.test(request.url()) && lazy.push(request.url()),
  )
  await page.clock.install()
  await page.goto('/')
  await untilUsable(page)
  expect(lazy).toEqual([])
  await page.clock.fastForward(15_000)
  await expect.poll(() => lazy.join()).toContain('player-')
})

test('a first touch downloads the rest', async ({ page }) => {
  await page.goto('/')
  await untilUsable(page)
  const rest = page.waitForRequest(/\/assets\/player-/)
  await page.mouse.move(100, 100)
  await rest
})

test('a visitor who saves data downloads no part before it is needed', async ({ page }) => {
  const early: string[] = []
  page.on('request', (request) => /\/assets\/(?:player|wallet-menu)-/.test(request.url()) && early.push(request.url()))
  await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }))
  await page.goto('/')
  await untilUsable(page)
  await page.keyboard.press('Shift')
  for (let moment = 0; moment < 5; moment++) await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  expect(early).toEqual([])
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
})

test('the licences of the typefaces and of all bundled code come with the web app', async ({ page }) => {
  await page.goto('/')
  const link = await page.getByRole('link', { name: 'Licences' }).getAttribute('href')
  const text = await (await page.request.get(link ?? '')).text()
  const sections = text.split(/^## /m).slice(1)
  const names = sections.map((section) => section.slice(0, section.indexOf(' - ')))
  expect(names).toEqual(
    expect.arrayContaining(['@fontsource-variable/gabarito', '@fontsource/unbounded', 'tailwindcss', 'react', '@solana/keys']),
  )
  expect(text).toContain('SIL OPEN FONT LICENSE')
  // The one package without a text of its own has the licence of others.
  const bare = sections.filter((section) => section.trim().split('\n').length < 3)
  expect(bare).toEqual([expect.stringMatching(/^@solana-program\/system - .+ \(Apache-2\.0\)/)])
  expect(text).toContain('Apache License')
})

function needed(manifest: Record<string, Chunk>, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const next of manifest[name]?.imports ?? []) needed(manifest, next, found)
  return found
}
