import { StepFailed } from './run.mjs'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts of tests */

/**
 * A part of `npm test`. It throws `StepFailed` if it fails.
 *
 * @typedef {object} Part
 * @property {string} title
 * @property {string[]} [needs] titles of parts without which this one cannot run
 * @property {() => Promise<unknown>} run
 */

/** @typedef {{ title: string, failure?: StepFailed, missing?: string }} Outcome `missing` is the failed part for which it was not run */

/**
 * Runs one part after another, whether or not the earlier ones failed.
 *
 * @param {Part[]} parts
 * @returns {Promise<Outcome[]>}
 */
export async function runParts(parts) {
  /** @type {Outcome[]} */
  const outcomes = []
  for (const part of parts) outcomes.push(await runPart(part, outcomes))
  return outcomes
}

/**
 * @param {Part} part
 * @param {Outcome[]} earlier
 * @returns {Promise<Outcome>}
 */
async function runPart({ title, needs = [], run }, earlier) {
  const missing = earlier.find((outcome) => needs.includes(outcome.title) && isBad(outcome))
  if (missing) return { title, missing: missing.title }
  try {
    await run()
    return { title }
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    return { title, failure: error }
  }
}

/** @param {Outcome} outcome */
function isBad({ failure, missing }) {
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
 * The last line of `npm test`. A failed part without a failed test counts as one failure, so that the line never says that none failed.
 *
 * @param {Outcome[]} outcomes
 * @param {Record<string, Counts>} counts by the title of their part
 */
export function countsText(outcomes, counts) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const outcome of outcomes) {
    const { passed = 0, failed = 0, skipped = 0 } = counts[outcome.title] ?? {}
    total.passed += passed
    total.failed += isBad(outcome) ? Math.max(1, failed) : 0
    total.skipped += skipped
  }
  return `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`
}
