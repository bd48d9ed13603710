import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { chromium } = await import('@playwright/test')
const { findChromium } = await import('../e2e/support/chromium.mjs')
const { drawBrand } = await import('./pictures/brand.mjs')
const { drawIcons } = await import('./pictures/icons.mjs')
const { drawPreview } = await import('./pictures/preview.mjs')
const { drawScreens } = await import('./pictures/screens.mjs')
const { drawSheet } = await import('./pictures/sheet.mjs')
const { ensureChromium } = await import('./support/chromium.mjs')

/** What `npm run pictures -- <name>` draws. */
const pictures = new Map([
  ['preview', drawPreview],
  ['icons', drawIcons],
  ['brand', drawBrand],
  ['screens', drawScreens],
  ['sheet', drawSheet],
])

const [name = '', ...args] = process.argv.slice(2)
const draw = pictures.get(name)
if (draw) await inBrowser((browser) => draw(browser, args))
else {
  console.error(`npm run pictures -- ${[...pictures.keys()].join(' | ')}`)
  process.exitCode = 1
}

/** @param {(browser: import('@playwright/test').Browser) => Promise<void>} draws */
async function inBrowser(draws) {
  await ensureChromium()
  const executablePath = findChromium()
  const browser = await chromium.launch(executablePath ? { executablePath } : {})
  try {
    await draws(browser)
  } finally {
    await browser.close()
  }
}
