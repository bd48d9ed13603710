import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { ensureBuilt } from '../support/build.mjs'
import { root } from '../support/run.mjs'

const PORT = process.env.PORT ?? '3399'
export const ORIGIN = `http://localhost:${PORT}`

/**
 * Starts a market of its own, which is deleted when it stops.
 *
 * @param {Record<string, string>} [settings]
 * @returns {Promise<() => Promise<void>>} stops it
 */
export async function startMarket(settings = {}) {
  await ensureBuilt()
  const env = { ...process.env, PORT, LOG_LEVEL: 'warn', ...settings }
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
 * Waits until typefaces and pictures are drawn.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function untilDrawn(page) {
  await page.evaluate(() =>
    Promise.all([document.fonts.ready, ...[...document.images].filter(({ loading }) => loading !== 'lazy').map((image) => image.decode())]),
  )
}

/**
 * Signs in on a page that offers the Demo Wallet.
 *
 * @param {import('@playwright/test').Page} page
 * @param {string} url
 */
export async function signInWithDemoWallet(page, url) {
  await page.goto(url)
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page
    .getByRole('dialog', { name: /Sign this message/ })
    .getByRole('button', { name: 'Approve' })
    .click()
}
