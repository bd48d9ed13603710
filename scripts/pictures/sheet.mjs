import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { withoutFirstView } from '../../e2e/support/first-view.mjs'
import { ORIGIN, startMarket, untilDrawn } from './market.mjs'
import { differences } from './sheet-differences.mjs'
import { sheetPage } from './sheet-page.mjs'
import { prepare, settings, states } from './sheet-states.mjs'

const WIDTHS = [320, 390, 768, 1280, 1920]
/** @type {('light' | 'dark')[]} */
const SCHEMES = ['light', 'dark']
/** What is below this is of no interest. */
const MOST_HEIGHT = 2400
const PHONE = 640
const TABLET = 1024

/** @typedef {{ state: string, width: number, scheme: string, file: string, fold: number }} Shot */

/**
 * Takes every screen in every state that can be made, in all widths and both colour schemes, and a page to look at them. Options: `--into` a
 * folder, `--only` the states whose names contain a text, `--against` the folder of an earlier run, to see what has changed since.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {string[]} args
 */
export async function drawSheet(browser, args) {
  const options = /** @type {const} */ ({ into: { type: 'string' }, only: { type: 'string' }, against: { type: 'string' } })
  const { into, only = '', against } = parseArgs({ args, options }).values
  const folder = resolve(into ?? join(tmpdir(), 'juicebar-sheet'))
  await mkdir(folder, { recursive: true })
  const stop = await startMarket(settings)
  /** @type {Shot[]} */
  const shots = []
  /** @type {string[]} */
  const failed = []
  try {
    const prepared = await prepare(browser)
    for (const state of states.filter(({ name }) => name.includes(only))) {
      try {
        shots.push(...(await take(browser, state, prepared, folder)))
      } catch (error) {
        failed.push(`${state.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  } finally {
    await stop()
  }
  const changed = against === undefined ? undefined : await differences(browser, shots, { before: resolve(against), after: folder })
  await writeFile(join(folder, 'index.html'), sheetPage(shots, { before: against && resolve(against), changed }))
  console.log(`${shots.length} pictures in ${folder}/index.html${changed ? `, ${changed.size} of them changed` : ''}`)
  if (failed.length === 0) return
  console.error(failed.join('\n'))
  process.exitCode = 1
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {import('./sheet-states.mjs').State} state
 * @param {import('./sheet-states.mjs').Prepared} prepared
 * @param {string} folder
 * @returns {Promise<Shot[]>}
 */
async function take(browser, state, prepared, folder) {
  const session = state.who === 'visitor' ? undefined : prepared[state.who]
  const context = await browser.newContext({ reducedMotion: 'reduce', ...(session && { storageState: session }) })
  const shots = []
  try {
    const page = await context.newPage()
    await page.setViewportSize({ width: 1280, height: 900 })
    if (state.answers || state.routes) await withoutFirstView(page)
    for (const [url, answer] of Object.entries(state.answers ?? {})) await page.route(url, answer)
    await state.routes?.(page)
    const path = typeof state.path === 'function' ? state.path(prepared) : (state.path ?? '/')
    await page.goto(`${ORIGIN}${path}`)
    // A listing's dialog covers the button, and a checkout has none.
    if (state.who === 'player' && !/^\/(?:checkout|listing)\//.test(path))
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await state.open?.(page)
    for (const width of WIDTHS) {
      const height = width < PHONE ? 844 : width < TABLET ? 1024 : 900
      await page.setViewportSize({ width, height })
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.mouse.move(0, 0)
        await untilDrawn(page)
        await untilStill(page)
        const file = `${state.name.replaceAll(/[^\w]+/g, '-')}-${width}-${scheme}.png`
        // A dialog covers the window, and only that.
        const isCovered = await page.getByRole('dialog').first().isVisible()
        const full = isCovered ? height : await page.evaluate(() => document.documentElement.scrollHeight)
        const clip = { x: 0, y: 0, width, height: Math.min(MOST_HEIGHT, full) }
        await page.screenshot({ path: join(folder, file), fullPage: !isCovered, clip })
        shots.push({ state: state.name, width, scheme, file, fold: height / clip.height })
      }
    }
  } finally {
    await context.close()
  }
  return shots
}

/**
 * Waits until the layout has followed the window.
 *
 * @param {import('@playwright/test').Page} page
 */
async function untilStill(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
