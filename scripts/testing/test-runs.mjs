import { createServer } from 'node:net'
import { join } from 'node:path'

import { root, runNode, StepFailed } from '../support/run.mjs'
import { readEvent } from './test-events.mjs'

const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const PLAYWRIGHT = join(root, 'node_modules', '@playwright', 'test', 'cli.js')
/** @param {string} file in this folder */
const reporter = (file) => join(root, 'scripts', 'testing', file)

/**
 * A run of one of the two test runners.
 *
 * @typedef {object} TestRun
 * @property {string} title
 * @property {import('./test-events.mjs').Tally} tally
 * @property {Pick<import('./display.mjs').Display, 'begin' | 'end' | 'failed'>} display
 */

/**
 * @param {TestRun} run
 * @param {string[]} args of Vitest's command line
 * @returns {Promise<import('./parts.mjs').Counts>}
 * @throws {StepFailed} if a test failed, none ran, or something broke outside the tests
 */
export async function runVitest(run, args) {
  return follow(run, [VITEST, 'run', '--reporter=default', `--reporter=${reporter('vitest-reporter.mjs')}`, ...args], {})
}

/**
 * A failed test is run once more, to leave a trace in `test-results`; it stays failed.
 *
 * @param {TestRun} run
 * @param {string[]} args of Playwright's command line
 * @returns {Promise<import('./parts.mjs').Counts>}
 * @throws {StepFailed} as `runVitest`
 */
export async function runPlaywright(run, args) {
  const env = { E2E_PORT: String(await freePorts()) }
  try {
    return await follow(run, [PLAYWRIGHT, 'test', `--reporter=list,${reporter('playwright-reporter.mjs')}`, ...args], env)
  } catch (error) {
    if (run.tally.failures.length > 0)
      await runNode([PLAYWRIGHT, 'test', '--last-failed', '--trace=on', '--reporter=list', ...args], { env })
    throw error
  }
}

/** Everything was left out, by its name or its file. */
const NONE_RAN = 'No test ran: none of these files has one of this name.\n'

/**
 * @param {TestRun} run
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 */
async function follow({ title, tally, display }, command, env) {
  display.begin({ title, tally })
  const onLine = (/** @type {string} */ line) => {
    const event = readEvent(line)
    if (!event) return false
    tally.add(event)
    if ('ended' in event) for (const failure of event.failures) display.failed(failure)
    return true
  }
  const { code, output } = await runNode(command, { env, onLine })
  display.end(title)
  const { passed, skipped, failures } = tally
  const counts = { passed, failed: failures.length, skipped }
  if (code !== 0 || counts.failed > 0 || passed === 0)
    throw new StepFailed(title, code === 0 && counts.failed === 0 ? NONE_RAN : output, {
      repeat: failures.map(({ repeat }) => repeat),
      counts,
    })
  return counts
}

/** A market of the browser's tests that needs settings of its own listens on one of the ports after the first. */
const PORTS = 40
/** Below the ports where embedded chains and databases of these markets are put (`free-port.ts`), which start while the tests run. */
const [FIRST_PORT, LAST_PORT] = [10_000, 19_900]

/** @returns {Promise<number>} the first of `PORTS` free ports */
async function freePorts() {
  for (let tries = 0; tries < 100; tries++) {
    const first = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
    const free = await Promise.all(Array.from({ length: PORTS }, (_, index) => isFree(first + index)))
    if (free.every(Boolean)) return first
  }
  throw new Error(`no ${PORTS} ports in a row are free`)
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  const probe = createServer()
  return new Promise((done) => {
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })
}
