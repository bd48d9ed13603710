import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { countsText, failuresText, runParts } from '../support/parts.mjs'
import { readPlaywrightReport, readVitestReport } from '../support/reports.mjs'
import { root, StepFailed } from '../support/run.mjs'

/** @param {string} title */
const failing = (title) => ({ title, run: () => Promise.reject(new StepFailed(title, 'output', [`npm run ${title}`])) })
/** @param {string} title */
const passing = (title) => ({ title, run: async () => undefined })

describe('npm test', () => {
  it('runs what comes after a failed part, except what needs that part, and lists all that failed', async () => {
    const browser = { ...passing('browser'), needs: ['build'] }
    const outcomes = await runParts([failing('types'), passing('vitest'), failing('build'), browser, passing('last')])
    expect(outcomes.map(({ title, failure, missing }) => [title, failure?.message ?? missing])).toEqual([
      ['types', 'types failed'],
      ['vitest', undefined],
      ['build', 'build failed'],
      ['browser', 'build'],
      ['last', undefined],
    ])
    expect(failuresText(outcomes).split('\n')).toEqual([
      'What failed, and how to repeat it:',
      '',
      '  types',
      '    npm run types',
      '  build',
      '    npm run build',
      '  browser: not run, since "build" failed',
      '',
    ])
  })

  it('counts a failed part at least once', async () => {
    const outcomes = await runParts([failing('types'), failing('vitest'), passing('browser')])
    const counts = { vitest: { passed: 10, failed: 2, skipped: 0 }, browser: { passed: 5, failed: 0, skipped: 1 } }
    expect(countsText(outcomes, counts)).toBe('15 passed, 3 failed, 1 skipped')
    expect(countsText(await runParts([passing('vitest')]), counts)).toBe('10 passed, 0 failed')
  })

  it('ends at once when a part throws what is not a failure of its program', async () => {
    const broken = { title: 'broken', run: () => Promise.reject(new TypeError('a bug')) }
    await expect(runParts([broken])).rejects.toThrow('a bug')
  })

  it('repeats a failed test by its name and its seed, and a file that failed without one', () => {
    const message = 'Error: Property failed after 3 tests\n{ seed: -42, path: "2:1", endOnFailure: true }\nCounterexample: [0]'
    const test = (/** @type {string} */ fullName, /** @type {string[]} */ ...failureMessages) => {
      return { fullName, status: failureMessages.length > 0 ? 'failed' : 'passed', failureMessages }
    }
    const tests = [test('fine'), test("paging of a seller's (any)", message), test('search', 'AssertionError')]
    const report = readVitestReport({
      numPassedTests: 1,
      numFailedTests: 2,
      numPendingTests: 3,
      testResults: [
        { name: join(root, 'server', 'test', 'a.test.ts'), status: 'failed', assertionResults: tests },
        { name: join(root, 'server', 'test', 'b.test.ts'), status: 'passed', assertionResults: [] },
        { name: join(root, 'server', 'test', 'c.test.ts'), status: 'failed', assertionResults: [] },
      ],
    })
    expect(report.counts).toEqual({ passed: 1, failed: 2, skipped: 3 })
    expect(report.repeat).toEqual([
      String.raw`PROPERTY_SEED=-42 npx vitest run server/test/a.test.ts -t 'paging of a seller'\''s \(any\)'`,
      "npx vitest run server/test/a.test.ts -t 'search'",
      'npx vitest run server/test/c.test.ts',
    ])
  })

  it('repeats a failed browser test by its line', () => {
    const inner = { specs: [{ file: 'trade.spec.ts', line: 9, ok: false }] }
    const suites = [{ specs: [{ file: 'trade.spec.ts', line: 3, ok: true }], suites: [inner] }]
    const report = readPlaywrightReport({ stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 0 }, suites })
    expect(report).toEqual({ counts: { passed: 1, failed: 2, skipped: 0 }, repeat: ['npx playwright test trade.spec.ts:9'] })
  })
})
