import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { root } from '../support/run.mjs'

const publicFolder = join(root, 'web', 'public')
/** Systems that cut icons to a shape keep the inner 80 %. */
const INNER = 0.8
const HALF = 16

/**
 * Draws the icons of the installed market, `web/public/icons/`, from Juicebar's logo.
 *
 * @param {import('@playwright/test').Browser} browser
 */
export async function drawIcons(browser) {
  const logo = await readFile(join(publicFolder, 'favicon.svg'), 'utf8')
  await draw(browser, { name: 'icon-192', size: 192, svg: logo })
  await draw(browser, { name: 'icon-512', size: 512, svg: logo })
  await draw(browser, { name: 'maskable-512', size: 512, svg: withRoom(logo) })
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {{ name: string, size: number, svg: string }} icon
 */
async function draw(browser, { name, size, svg }) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const style = `body { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }`
  await page.setContent(`<style>${style}</style>${svg}`)
  await page.screenshot({ path: join(publicFolder, 'icons', `${name}.png`), omitBackground: true })
  await page.close()
}

/**
 * The logo with its ground to the edges, and the rest drawn smaller.
 *
 * @param {string} logo
 */
function withRoom(logo) {
  const move = `translate(${HALF} ${HALF}) scale(${INNER}) translate(-${HALF} -${HALF})`
  return logo.replace(/ rx="\d+"/, '').replace(/(<rect[^>]*\/>)(.*)<\/svg>/s, `$1<g transform="${move}">$2</g></svg>`)
}
