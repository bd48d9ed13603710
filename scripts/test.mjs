import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { join } = await import('node:path')
const { ensureChromium } = await import('./support/chromium.mjs')
const { Display } = await import('./testing/display.mjs')
const { ensureInstalled } = await import('./support/install.mjs')
const { countsText, failuresText, isBad, runParts, slowestText, timesText } = await import('./testing/parts.mjs')
const { root, runNode, runNpm, showFailure, StepFailed } = await import('./support/run.mjs')
const { Tally } = await import('./testing/test-events.mjs')
const { runPlaywright, runVitest } = await import('./testing/test-runs.mjs')
const { keepTempFilesInMemory } = await import('./testing/temp-folder.mjs')

/** @typedef {import('./testing/parts.mjs').Part} Part */

const LINES_SHOWN = 300
const SLOWEST_SHOWN = 10
const [BUILD, CHROMIUM] = ['Build', 'Chromium']
/** The tests, each run after the one before: they share the machine's cores. */
const RINGS = {
  rules: 'Ring 1: rules',
  market: 'Ring 2: database and chain',
  browser: 'Ring 2: browser',
  variants: 'Ring 3: browser',
  guests: 'Ring 3: guests',
}
const USAGE = `npm test                          everything that a change can break: the checks, the build, and the tests of rings 1 and 2
npm run test:full                 the same, and ring 3
npm test -- PATH...               the tests of files or folders, with the options of their runner, such as -t NAME (-g NAME in the browser)
npm test -- --changed [COMMIT]    the tests nearest to what has changed since a commit, by default the last one`

const display = new Display()
/** @type {import('./testing/test-events.mjs').Tally[]} */
const tallies = []

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
keepTempFilesInMemory()
const began = Date.now()
const installed = await runParts([{ title: 'Installation', run: ensureInstalled }])
const outcomes = installed.some(isBad)
  ? installed
  : await runParts(await chooseParts(process.argv.slice(2)), (outcome) => display.ended(outcome))
display.stop()
conclude()

/**
 * @param {string[]} args
 * @returns {Promise<Part[]>}
 */
async function chooseParts(args) {
  if (args.length === 0) return allParts({ full: false })
  if (args[0] === '--full') return allParts({ full: true })
  if (args[0] === '--changed') return changedParts(args[1] ?? 'HEAD')
  if (args.every((arg) => arg.startsWith('-'))) return explain(args)
  return args.some(isOfBrowser) ? browserAlone(args) : [vitest('Tests', args)]
}

/** @param {string[]} args @returns {never} */
function explain(args) {
  console.log(USAGE)
  process.exit(args.includes('--help') ? 0 : 1)
}

/** @param {{ full: boolean }} options */
function allParts({ full }) {
  return [
    { title: BUILD, run: build },
    ...checks({ after: BUILD }),
    { title: CHROMIUM, run: ensureChromium },
    vitest(RINGS.rules, ['--project=ring 1*']),
    { ...vitest(RINGS.market, ['--project=ring 2*']), after: [RINGS.rules] },
    { ...playwright(RINGS.browser, ['--grep-invert=@full']), needs: [BUILD, CHROMIUM], after: [RINGS.market] },
    ...(full ? variantsAndGuests() : []),
  ]
}

/** @returns {Part[]} */
function variantsAndGuests() {
  return [
    { ...playwright(RINGS.variants, ['--grep=@full']), needs: [BUILD, CHROMIUM], after: [RINGS.browser] },
    // Each of them starts many processes of its own.
    { ...vitest(RINGS.guests, ['--project=ring 3*', '--maxWorkers=2']), needs: [BUILD], after: [RINGS.variants] },
  ]
}

/** @param {string} commit */
async function changedParts(commit) {
  const { nearestTests } = await import('./testing/nearest-tests.mjs')
  const { browser, others } = nearestTests(commit)
  return [
    check('Types', 'check:types'),
    ...(others.length > 0 ? [vitest('Tests', others)] : []),
    ...(browser.length > 0 ? browserAlone(browser) : []),
  ]
}

/** @param {string[]} args */
function browserAlone(args) {
  return [
    { title: BUILD, run: build },
    { title: CHROMIUM, run: ensureChromium },
    { ...playwright('Tests in the browser', args), needs: [BUILD, CHROMIUM] },
  ]
}

/** One after another, beside the first tests. @param {{ after: string }} options */
function checks({ after }) {
  const all = [
    check('Types', 'check:types'),
    check('Lint', 'check:lint'),
    check('Format', 'check:format'),
    check('Unused code', 'check:unused'),
  ]
  return all.map((part, index) => ({ ...part, after: [all[index - 1]?.title ?? after] }))
}

/**
 * @param {string} title
 * @param {string} script its name in package.json
 * @returns {Part}
 */
function check(title, script) {
  const run = async () => {
    const { code, output } = await runNpm(['run', '--silent', script])
    if (code !== 0) throw new StepFailed(title, output, { repeat: [`npm run ${script}`] })
  }
  return { title, run }
}

async function build() {
  const { code, output } = await runNode([join(root, 'scripts', 'build.mjs')])
  if (code !== 0) throw new StepFailed(BUILD, output, { repeat: ['npm run build'] })
}

/**
 * @param {string} title
 * @param {string[]} args
 * @returns {Part}
 */
function vitest(title, args) {
  return { title, run: () => runVitest({ title, tally: newTally(), display }, args) }
}

/**
 * @param {string} title
 * @param {string[]} args
 * @returns {Part}
 */
function playwright(title, args) {
  return { title, run: () => runPlaywright({ title, tally: newTally(), display }, args) }
}

function newTally() {
  const tally = new Tally()
  tallies.push(tally)
  return tally
}

/** @param {string} arg */
function isOfBrowser(arg) {
  return arg.startsWith('e2e') || arg.includes('.spec.ts')
}

function conclude() {
  for (const { failure } of outcomes) if (failure) showFailure(failure, LINES_SHOWN)
  const failures = failuresText(outcomes)
  const slowest = slowestText(new Map(tallies.flatMap(({ seconds }) => [...seconds])), SLOWEST_SHOWN)
  console.log(`\n${timesText(outcomes)}\n`)
  if (slowest) console.log(`The slowest files:\n\n${slowest}\n`)
  console.log(failures || `Everything holds, after ${Math.round((Date.now() - began) / 1000)} s.\n`)
  console.log(countsText(outcomes))
  process.exitCode = failures ? 1 : 0
}
