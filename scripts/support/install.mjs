import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expectSuccess, root, runNpm, timed } from './run.mjs'

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage */

/**
 * Installs the packages of package-lock.json where they are not what is installed. Our own parts need no install script of
 * any package, so none is run.
 */
export async function ensureInstalled() {
  if (isInstalled()) return
  await timed('Installing packages (once; about a minute)', async () => {
    const command = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    expectSuccess('Installing packages', await runNpm(command))
  })
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
