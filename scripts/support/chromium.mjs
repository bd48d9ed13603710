import { join } from 'node:path'

import { findChromium } from '../../e2e/support/chromium.mjs'
import { root, run, runNode, StepFailed } from './run.mjs'

const HELP =
  'There is no Chromium for the browser tests, and none could be installed. Install it (Debian, Ubuntu: apt-get install chromium; ' +
  'macOS: brew install --cask chromium), or set CHROMIUM_PATH to the program of a Chromium or Chrome.'

/** Makes sure that there is a Chromium: the system's, else one from apt where we are root, else Playwright's own. */
export async function ensureChromium() {
  if (findChromium()) return
  const attempts = [installWithApt, installWithPlaywright]
  const outputs = []
  for (const attempt of attempts) {
    const result = await attempt()
    if (result?.code === 0) return
    outputs.push(result?.output ?? '')
  }
  throw new StepFailed('Finding a Chromium', `${outputs.join('\n')}\n${HELP}`)
}

async function installWithApt() {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return undefined
  const install = 'apt-get install -y -qq --no-install-recommends'
  // Not every release has the headless shell alone.
  const command = `apt-get update -qq && (${install} chromium-headless-shell || ${install} chromium)`
  const result = await run(['/bin/sh', '-c', command], { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  return result.code === 0 && !findChromium() ? { ...result, code: 1 } : result
}

async function installWithPlaywright() {
  return runNode([join(root, 'node_modules', 'playwright', 'cli.js'), 'install', 'chromium'])
}
