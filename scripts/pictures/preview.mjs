import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { root } from '../support/run.mjs'

/** As wide as link previews are shown. */
const SIZE = { width: 1200, height: 630 }

/**
 * Draws the picture of Juicebar's link previews, `web/public/preview.png`.
 *
 * @param {import('@playwright/test').Browser} browser
 */
export async function drawPreview(browser) {
  const page = await browser.newPage({ viewport: SIZE })
  const svg = await readFile(join(root, 'scripts', 'pictures', 'preview.svg'), 'utf8')
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`)
  await page.screenshot({ path: join(root, 'web', 'public', 'preview.png') })
}
