import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { ensureBuilt } from '../support/build.mjs'
import { root } from '../support/run.mjs'

const PORT = process.env.PORT ?? '3399'
const ORIGIN = `http://localhost:${PORT}`
const SIZE = { width: 1280, height: 1180 }
const GAP = 24
const QUALITY = 0.82

/**
 * Draws another studio's market, made from `examples/brand/`, by day and by night: `docs/images/brand.webp`.
 *
 * @param {import('@playwright/test').Browser} browser
 */
export async function drawBrand(browser) {
  await ensureBuilt()
  const stop = await startMarket()
  try {
    const [light, dark] = [await photograph(browser, 'light'), await photograph(browser, 'dark')]
    await writeFile(join(root, 'docs', 'images', 'brand.webp'), await sideBySide(browser, [light, dark]))
  } finally {
    await stop()
  }
}

async function startMarket() {
  const folder = join(root, 'examples', 'brand')
  const env = { ...process.env, PORT, BRAND_DIR: folder, CATALOGUE: join(folder, 'catalogue.json'), LOG_LEVEL: 'warn' }
  const server = spawn(process.execPath, [join(root, 'e2e', 'support', 'serve.mjs')], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(server, 'exit')
  const isReady = () =>
    fetch(`${ORIGIN}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`the market ended with ${server.exitCode}`)
    await delay(200)
  }
  return async () => {
    server.kill('SIGINT')
    await exited
  }
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {'light' | 'dark'} colorScheme
 */
async function photograph(browser, colorScheme) {
  const page = await browser.newPage({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' })
  await page.goto(ORIGIN)
  await page.getByRole('article').first().waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.locator('.prices:not(.breathe)').waitFor()
  await page.evaluate(() =>
    Promise.all([document.fonts.ready, ...[...document.images].filter(({ loading }) => loading !== 'lazy').map((image) => image.decode())]),
  )
  return page.screenshot()
}

/**
 * Puts pictures of the same size side by side, smaller.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {Buffer[]} pictures PNG
 * @returns {Promise<Buffer>} WebP
 */
async function sideBySide(browser, pictures) {
  const page = await browser.newPage()
  const data = await page.evaluate(
    async ({ urls, width, height, gap, quality }) => {
      const canvas = document.createElement('canvas')
      canvas.width = urls.length * width + (urls.length - 1) * gap
      canvas.height = height
      const context = canvas.getContext('2d')
      if (!context) throw new Error('there is no canvas')
      context.imageSmoothingQuality = 'high'
      for (const [index, url] of urls.entries()) {
        const image = new Image()
        image.src = url
        await image.decode()
        context.drawImage(image, index * (width + gap), 0, width, height)
      }
      return canvas.toDataURL('image/webp', quality)
    },
    {
      urls: pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`),
      width: Math.round(SIZE.width * 0.65),
      height: Math.round(SIZE.height * 0.65),
      gap: GAP,
      quality: QUALITY,
    },
  )
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64')
}
