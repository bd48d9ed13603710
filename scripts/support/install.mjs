import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { expectSuccess, requireWritableCheckout, root, runNpm, timed, waitForLeftovers } from './run.mjs'

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage */

const TRIES = 2
const PAUSE_MILLIS = 2_000

/**
 * Installs the packages of package-lock.json unless they are installed. No package's install script is run: none is needed.
 *
 * @throws {import('./run.mjs').StepFailed} if npm fails, or this user may not write to the checkout
 */
export async function ensureInstalled() {
  await waitForLeftovers()
  if (isInstalled()) return
  requireWritableCheckout('Installing packages', 'npm ci --ignore-scripts')
  await timed('Installing packages (once; about a minute)', async () => expectSuccess('Installing packages', await install()))
}

/** Tries twice, because networks fail now and then. */
async function install(tries = TRIES) {
  await rm(join(root, 'node_modules'), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  const result = await runNpm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  if (result.code === 0 || tries === 1) return result
  await delay(PAUSE_MILLIS)
  return install(tries - 1)
}

/**
 * Compares the lock file with npm's own record of what it installed, which it writes last.
 *
 * @returns {boolean}
 */
function isInstalled() {
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'))
  const wanted = readLock(join(root, 'package-lock.json'))
  if (!installed || !wanted) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return true
    const found = installed[path]
    if (!found) return entry.optional === true
    return found.version === entry.version && found.integrity === entry.integrity && existsSync(join(root, path))
  })
}

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}
