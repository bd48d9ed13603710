import { relative } from 'node:path'

import { root } from './run.mjs'

/** @typedef {{ counts: import('./parts.mjs').Counts, repeat: string[] }} Report what a test runner counted, and the commands that repeat what failed */

/** @typedef {{ fullName: string, status: string, failureMessages: string[] }} VitestTest */
/** @typedef {{ name: string, status: string, assertionResults: VitestTest[] }} VitestFile */
/** @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, testResults: VitestFile[] }} VitestReport */

/** As fast-check reports the failure of a property. */
const SEED = /\{ seed: (-?\d+), path: "/

/**
 * Reads Vitest's JSON report.
 *
 * @param {VitestReport} report
 * @returns {Report}
 */
export function readVitestReport({ numPassedTests, numFailedTests, numPendingTests, testResults }) {
  return {
    counts: { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests },
    repeat: testResults.filter(({ status }) => status === 'failed').flatMap(repeatFile),
  }
}

/**
 * @param {VitestFile} file
 * @returns {string[]}
 */
function repeatFile({ name, assertionResults }) {
  const command = `npx vitest run ${relative(root, name)}`
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return [command]
  return failed.map(({ fullName, failureMessages }) => {
    const [, seed] = SEED.exec(failureMessages.join('\n')) ?? []
    return `${seed === undefined ? '' : `PROPERTY_SEED=${seed} `}${command} -t ${quoted(escaped(fullName))}`
  })
}

/** @typedef {{ file: string, line: number, ok: boolean }} PlaywrightSpec */
/** @typedef {{ specs?: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite */
/** @typedef {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number }, suites: PlaywrightSuite[] }} PlaywrightReport */

/**
 * Reads Playwright's JSON report.
 *
 * @param {PlaywrightReport} report
 * @returns {Report}
 */
export function readPlaywrightReport({ stats: { expected, unexpected, flaky, skipped }, suites }) {
  return {
    counts: { passed: expected, failed: unexpected + flaky, skipped },
    repeat: suites.flatMap(failedSpecs).map(({ file, line }) => `npx playwright test ${file}:${line}`),
  }
}

/**
 * @param {PlaywrightSuite} suite
 * @returns {PlaywrightSpec[]}
 */
function failedSpecs({ specs = [], suites = [] }) {
  return [...specs.filter(({ ok }) => !ok), ...suites.flatMap(failedSpecs)]
}

/** @param {string} text to be matched by a regular expression */
function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** @param {string} text as one word of a shell command */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
