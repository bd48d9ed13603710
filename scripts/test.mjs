import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { mkdirSync, readFileSync, rmSync } = await import('node:fs')
const { createServer } = await import('node:net')
const { join } = await import('node:path')
const { ensureBuilt } = await import('./support/build.mjs')
const { ensureChromium } = await import('./support/chromium.mjs')
const { ensureInstalled } = await import('./support/install.mjs')
const { countsText, failuresText, runParts } = await import('./support/parts.mjs')
const { readPlaywrightReport, readVitestReport } = await import('./support/reports.mjs')
const { cacheFolder, root, runNode, runNpm, showFailure, StepFailed, timed } = await import('./support/run.mjs')

const LINES_SHOWN = 300
const VITEST = 'Tests of rules, database and chain'
const BUILD = 'Build'
const CHROMIUM = 'Chromium'
const BROWSER = 'Tests in the browser'

const began = Date.now()
/** @type {Record<string, import('./support/parts.mjs').Counts>} */
const counts = {}

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
const installed = await runParts([{ title: 'Installation', run: ensureInstalled }])
const outcomes = installed.some(({ failure }) => failure)
  ? installed
  : await runParts([
      check('Types', 'check:types'),
      check('Lint', 'check:lint'),
      check('Format', 'check:format'),
      check('Unused code', 'check:unused'),
      { title: VITEST, run: () => timed(VITEST, runVitest) },
      { title: BUILD, run: ensureBuilt },
      { title: CHROMIUM, run: () => timed('Finding a Chromium', ensureChromium) },
      { title: BROWSER, needs: [BUILD, CHROMIUM], run: () => timed(BROWSER, runPlaywright) },
    ])

for (const { failure } of outcomes) if (failure) showFailure(failure, LINES_SHOWN)
const failures = failuresText(outcomes)
console.log(`\n${failures || `Everything holds, after ${Math.round((Date.now() - began) / 1000)} s.\n`}`)
console.log(countsText(outcomes, counts))
process.exitCode = failures ? 1 : 0

/**
 * @param {string} title
 * @param {string} script its name in package.json
 * @returns {import('./support/parts.mjs').Part}
 */
function check(title, script) {
  const run = async () => {
    const { code, output } = await runNpm(['run', '--silent', script])
    if (code !== 0) throw new StepFailed(title, output, [`npm run ${script}`])
  }
  return { title, run: () => timed(title, run) }
}

async function runVitest() {
  const file = reportFile('vitest')
  const command = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=default', '--reporter=json']
  const result = await runNode([...command, `--outputFile.json=${file}`])
  record(VITEST, result, () => readVitestReport(JSON.parse(readFileSync(file, 'utf8'))))
}

async function runPlaywright() {
  const file = reportFile('playwright')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file, E2E_PORT: String(await freePort()) }
  const result = await runNode([join(root, 'node_modules', '@playwright', 'test', 'cli.js'), 'test', '--reporter=list,json'], { env })
  record(BROWSER, result, () => readPlaywrightReport(JSON.parse(readFileSync(file, 'utf8'))))
}

/**
 * Counts the tests of a part.
 *
 * @param {string} part
 * @param {import('./support/run.mjs').Result} result
 * @param {() => import('./support/reports.mjs').Report} readReport
 * @throws {StepFailed} if a test failed, none ran, or the runner did not get as far as a report
 */
function record(part, result, readReport) {
  /** @type {import('./support/reports.mjs').Report} */
  let report
  try {
    report = readReport()
  } catch {
    throw new StepFailed(part, result.output)
  }
  counts[part] = report.counts
  const { passed, failed } = report.counts
  if (result.code !== 0 || failed > 0 || passed === 0) throw new StepFailed(part, result.output, report.repeat)
}

/**
 * Where a test runner writes its report. The report of an earlier run is deleted.
 *
 * @param {string} runner
 */
function reportFile(runner) {
  const file = join(cacheFolder, `${runner}.json`)
  mkdirSync(cacheFolder, { recursive: true })
  rmSync(file, { force: true })
  return file
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
