import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { mkdirSync, readFileSync, rmSync } = await import('node:fs')
const { createServer } = await import('node:net')
const { join } = await import('node:path')
const { ensureBuilt } = await import('./support/build.mjs')
const { ensureChromium } = await import('./support/chromium.mjs')
const { ensureInstalled } = await import('./support/install.mjs')
const { cacheFolder, expectSuccess, root, runNode, runNpm, showFailure, StepFailed, timed } = await import('./support/run.mjs')

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const LINES_SHOWN = 300
const began = Date.now()
/** @type {Counts} */
const total = { passed: 0, failed: 0, skipped: 0 }

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
try {
  await ensureInstalled()
  await check('Types', 'check:types')
  await check('Lint', 'check:lint')
  await check('Format', 'check:format')
  await check('Unused code', 'check:unused')
  await timed('Tests on rules, database and chain', runVitest)
  await ensureBuilt()
  await timed('Finding a Chromium', ensureChromium)
  await timed('Tests in the browser', runPlaywright)
  console.log(`\nEverything holds, after ${Math.round((Date.now() - began) / 1000)} s.\n`)
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  showFailure(error, LINES_SHOWN)
  console.log()
  process.exitCode = 1
}
if (total.passed + total.failed > 0) console.log(summaryOf(total))

/**
 * @param {string} title
 * @param {string} script the script's name in package.json
 */
async function check(title, script) {
  await timed(title, async () => expectSuccess(title, await runNpm(['run', '--silent', script])))
}

async function runVitest() {
  const report = reportFile('vitest')
  const command = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=default', '--reporter=json']
  const result = await runNode([...command, `--outputFile.json=${report}`])
  const { numPassedTests, numFailedTests, numPendingTests } = readReport(report, result.output)
  count('Tests on rules, database and chain', result, { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests })
}

async function runPlaywright() {
  const report = reportFile('playwright')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report, E2E_PORT: String(await freePort()) }
  const result = await runNode([join(root, 'node_modules', '@playwright', 'test', 'cli.js'), 'test', '--reporter=list,json'], { env })
  const { stats } = readReport(report, result.output)
  count('Tests in the browser', result, { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped })
}

/**
 * Adds to the total, and fails where a test failed or none ran.
 *
 * @param {string} step
 * @param {import('./support/run.mjs').Result} result
 * @param {Counts} counts
 */
function count(step, result, counts) {
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  expectSuccess(step, result)
  if (counts.failed > 0 || counts.passed === 0) throw new StepFailed(step, `${result.output}\n${summaryOf(counts)}`)
}

/** @param {Counts} counts */
function summaryOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * Where a test runner writes its report. An earlier run's report is gone.
 *
 * @param {string} runner
 */
function reportFile(runner) {
  const file = join(cacheFolder, `${runner}.json`)
  mkdirSync(cacheFolder, { recursive: true })
  rmSync(file, { force: true })
  return file
}

/**
 * @param {string} file
 * @param {string} output what the runner said, in case that it left no report
 */
function readReport(file, output) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new StepFailed('Running the tests', output)
  }
}

/** @returns {Promise<number>} */
function freePort() {
  const probe = createServer()
  return new Promise((done, fail) => {
    probe.once('error', fail)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
