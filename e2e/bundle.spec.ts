import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import { expect, test } from './support/test.ts'

interface Chunk {
  file: string
  imports?: string[]
}

const dist = new URL('../web/dist/', import.meta.url)
/** The most JavaScript that a visitor may download before the market shows, in gzipped bytes. */
const MAX_BYTES = 100_000

test('what a visitor downloads before the market shows is small, and free of what only traders need', () => {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Record<string, Chunk>
  const files = [...needed(manifest, 'index.html')].map((name) => readFileSync(new URL(manifest[name]?.file ?? '', dist)))
  const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0)
  expect(bytes).toBeLessThan(MAX_BYTES)

  const code = files.map(String).join('')
  for (const foreign of ['~kind', 'base-ui', 'TransactionMessage', 'mobile-wallet-adapter']) expect(code).not.toContain(foreign)
})

const parts = /wallet-menu-|wallet-picker-|inventory-|my-listings-/

test('the rest is downloaded while the browser is idle', async ({ page }) => {
  const part = page.waitForRequest(parts)
  await page.goto('/')
  await part
})

test('a visitor who saves data downloads no part before it is needed', async ({ page }) => {
  const early: string[] = []
  page.on('request', (request) => parts.test(request.url()) && early.push(request.url()))
  await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }))
  await page.goto('/')
  await expect(page.getByRole('article').first()).toBeVisible()
  for (let moment = 0; moment < 5; moment++) await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  expect(early).toEqual([])
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(early).not.toEqual([])
})

test('the licences of the typefaces and of all bundled code come with the web app', async ({ page }) => {
  await page.goto('/')
  const link = await page.getByRole('link', { name: 'Licences' }).getAttribute('href')
  const text = await (await page.request.get(link ?? '')).text()
  const sections = text.split(/^## /m).slice(1)
  const names = sections.map((section) => section.slice(0, section.indexOf(' - ')))
  expect(names).toEqual(
    expect.arrayContaining(['@fontsource-variable/gabarito', '@fontsource-variable/unbounded', 'tailwindcss', 'react', '@solana/keys']),
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
