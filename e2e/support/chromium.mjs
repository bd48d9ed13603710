import { existsSync } from 'node:fs'

/** The headless shell first: it draws the same pages without a window's toolbars, in less time. */
const SYSTEM_CHROMIUMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Finds this machine's Chromium: the one in CHROMIUM_PATH, else one in the usual places.
 *
 * @returns {string | undefined} its path
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  return [...(named ? [named] : []), ...SYSTEM_CHROMIUMS].find((path) => existsSync(path))
}
