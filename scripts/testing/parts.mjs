import { StepFailed } from '../support/run.mjs'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts of tests */

/**
 * A part of `npm test`. It throws `StepFailed` if it fails.
 *
 * @typedef {object} Part
 * @property {string} title
 * @property {string[]} [needs] titles of earlier parts without which this one cannot run
 * @property {string[]} [after] titles of earlier parts whose end it awaits, whether or not they fail
 * @property {() => Promise<Counts | undefined | void>} run
 */

/** @typedef {{ title: string, seconds: number, counts?: Counts, failure?: StepFailed, missing?: string }} Outcome `missing` is the failed part for which it was not run */

/**
 * Runs each part as soon as those before it have ended, whether or not they failed.
 *
 * @param {Part[]} parts
 * @param {(outcome: Outcome) => void} [onEnd]
 * @returns {Promise<Outcome[]>}
 */
export async function runParts(parts, onEnd = () => undefined) {
  /** @type {Map<string, Promise<Outcome>>} */
  const running = new Map()
  const outcomesOf = (/** @type {string[]} */ titles) => Promise.all(titles.flatMap((title) => running.get(title) ?? []))
  for (const part of parts) {
    const { title, needs = [], after = [] } = part
    const needed = outcomesOf(needs)
    const earlier = Promise.all([needed, outcomesOf(after)])
    const outcome = earlier.then(async ([found]) => {
      const missing = found.find(isBad)
      return missing ? { title, seconds: 0, missing: missing.title } : runPart(part)
    })
    outcome.then(onEnd).catch(() => undefined)
    running.set(title, outcome)
  }
  return Promise.all(running.values())
}

/**
 * @param {Part} part
 * @returns {Promise<Outcome>}
 */
async function runPart({ title, run }) {
  const began = Date.now()
  const seconds = () => (Date.now() - began) / 1000
  try {
    const counts = await run()
    return { title, seconds: seconds(), ...(counts && { counts }) }
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    return { title, seconds: seconds(), failure: error, ...(error.counts && { counts: error.counts }) }
  }
}

/** @param {Outcome} outcome */
export function isBad({ failure, missing }) {
  return failure !== undefined || missing !== undefined
}

/**
 * What failed, and the commands that repeat it; empty if nothing did.
 *
 * @param {Outcome[]} outcomes
 */
export function failuresText(outcomes) {
  const lines = outcomes.filter(isBad).flatMap(({ title, failure, missing }) => {
    if (missing !== undefined) return [`  ${title}: not run, since "${missing}" failed`]
    return [`  ${title}`, ...(failure?.repeat ?? []).map((command) => `    ${command}`)]
  })
  return lines.length > 0 ? ['What failed, and how to repeat it:', '', ...lines, ''].join('\n') : ''
}

/**
 * What ran, and how long it took.
 *
 * @param {Outcome[]} outcomes
 */
export function timesText(outcomes) {
  const ran = outcomes.filter(({ missing }) => missing === undefined)
  const width = Math.max(...ran.map(({ title }) => title.length))
  return ran.map((outcome) => `  ${outcome.title.padEnd(width)}  ${seconds(outcome.seconds)}${testsText(outcome)}`).join('\n')
}

/**
 * @param {Map<string, number>} times the seconds of each test file
 * @param {number} most how many to list
 */
export function slowestText(times, most) {
  const slowest = [...times].sort(([, one], [, other]) => other - one).slice(0, most)
  return slowest.map(([file, value]) => `  ${seconds(value)}  ${file}`).join('\n')
}

/** @param {number} value */
export function seconds(value) {
  return `${value.toFixed(1).padStart(6)} s`
}

/** @param {Outcome} outcome */
export function testsText({ counts }) {
  if (!counts) return ''
  const { passed, failed, skipped } = counts
  return `  ${passed} passed${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * The last line of `npm test`. A failed part without a failed test counts as one failure, so that the line never says that none failed.
 *
 * @param {Outcome[]} outcomes
 */
export function countsText(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const outcome of outcomes) {
    const { passed = 0, failed = 0, skipped = 0 } = outcome.counts ?? {}
    total.passed += passed
    total.failed += isBad(outcome) ? Math.max(1, failed) : 0
    total.skipped += skipped
  }
  return `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`
}
