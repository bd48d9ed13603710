import { readFileSync } from 'node:fs'

import { expect, test } from './support/test.ts'

test.use({ serviceWorkers: 'allow' })

const icons = new URL('../web/public', import.meta.url)

test('the market can be installed, under its name, with icons of the sizes that it says', async ({ page, request }) => {
  await page.goto('/')
  const href = await page.locator('link[rel=manifest]').getAttribute('href')
  const reply = await request.get(href ?? '')
  expect(reply.headers()['content-type']).toContain('application/manifest+json')
  const manifest = (await reply.json()) as { name: string; start_url: string; icons: { src: string; sizes: string; purpose?: string }[] }
  expect(manifest).toMatchObject({ name: 'Juicebar Marketplace', start_url: '/', display: 'standalone' })
  for (const { src, sizes } of manifest.icons) {
    const file = await (await request.get(src)).body()
    expect(file.equals(readFileSync(new URL(`.${src}`, `${icons.href}/`)))).toBe(true)
    // Width and height in the header of a PNG file.
    expect(`${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`).toBe(sizes)
  }
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable')
})

test.describe('without a network', () => {
  test.use({ allowedErrors: /Failed to load resource|net::/ })

  test('a page of its own says so, and what was loaded before is not shown again', async ({ page, context }) => {
    await page.goto('/')
    await page.mouse.move(100, 100)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    await context.setOffline(true)
    await page.goto('/listing/any').catch(() => undefined)
    await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Try again' })).toHaveCSS('min-height', '44px')
    await context.setOffline(false)
    await page.goto('/')
    await expect(page.getByRole('article').first()).toBeVisible()
    const kept = await page.evaluate(async () => {
      const names = await caches.keys()
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return requests.flat().map(({ url }) => new URL(url).pathname)
    })
    expect(kept.toSorted()).toEqual(['/favicon.svg', '/offline.css', '/offline.html', '/theme.js'])
  })
})
