import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A channel may differ by so much without anybody seeing it. */
const TOLERANCE = 8

/**
 * The pictures that differ from those of an earlier run, and by which share of their pixels. Times and addresses of wallets differ always.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {import('./sheet.mjs').Shot[]} shots
 * @param {{ before: string, after: string }} folders
 * @returns {Promise<Map<string, number>>}
 */
export async function differences(browser, shots, { before, after }) {
  const page = await browser.newPage()
  const changed = new Map()
  for (const { file } of shots) {
    const [old, now] = await Promise.all([before, after].map((folder) => asUrl(join(folder, file))))
    const share = old === undefined ? 1 : await page.evaluate(compare, { old, now: now ?? '', tolerance: TOLERANCE })
    if (share > 0) changed.set(file, share)
  }
  await page.close()
  return changed
}

/** @param {string} path */
async function asUrl(path) {
  const png = await readFile(path).catch(() => undefined)
  return png && `data:image/png;base64,${png.toString('base64')}`
}

/**
 * Runs in the browser.
 *
 * @param {{ old: string, now: string, tolerance: number }} pictures
 */
async function compare({ old, now, tolerance }) {
  const images = await Promise.all(
    [old, now].map(async (url) => {
      const image = new Image()
      image.src = url
      await image.decode()
      return image
    }),
  )
  const width = Math.max(...images.map((image) => image.width))
  const height = Math.max(...images.map((image) => image.height))
  const [first, second] = images.map((image) => {
    const context = new OffscreenCanvas(width, height).getContext('2d')
    if (!context) throw new Error('there is no canvas')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, width, height).data
  })
  if (!first || !second) return 1
  let different = 0
  for (let at = 0; at < first.length; at += 4)
    if ([0, 1, 2, 3].some((channel) => Math.abs((first[at + channel] ?? 0) - (second[at + channel] ?? 0)) > tolerance)) different++
  return different / (width * height)
}
