import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { root } from '../support/run.mjs'
import { ORIGIN, startMarket, untilDrawn } from './market.mjs'
import { sideBySide } from './side-by-side.mjs'

const SIZE = { width: 1280, height: 1180 }
const SCALE = 0.65

/**
 * Draws another studio's market, made from `examples/brand/`, by day and by night: `docs/images/brand.webp`.
 *
 * @param {import('@playwright/test').Browser} browser
 */
export async function drawBrand(browser) {
  const folder = join(root, 'examples', 'brand')
  const stop = await startMarket({ BRAND_DIR: folder, CATALOGUE: join(folder, 'catalogue.json') })
  try {
    const pictures = [await photograph(browser, 'light'), await photograph(browser, 'dark')]
    const [width, height] = [Math.round(SIZE.width * SCALE), Math.round(SIZE.height * SCALE)]
    const drawn = await sideBySide(
      browser,
      pictures.map((png) => ({ png, width, height })),
    )
    await writeFile(join(root, 'docs', 'images', 'brand.webp'), drawn)
  } finally {
    await stop()
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
  await untilDrawn(page)
  return page.screenshot()
}
