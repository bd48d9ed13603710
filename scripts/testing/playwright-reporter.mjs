import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { root } from '../support/run.mjs'
import { tell } from './test-events.mjs'

/**
 * Tells how a run of Playwright goes.
 *
 * @implements {Pick<import('@playwright/test/reporter').Reporter, 'onBegin' | 'onTestBegin' | 'onTestEnd'>}
 */
// oxlint-disable-next-line import/no-default-export -- Playwright takes the default export of a reporter's file
export default class ProgressReporter {
  /**
   * @param {import('@playwright/test/reporter').FullConfig} _config
   * @param {import('@playwright/test/reporter').Suite} suite
   */
  onBegin(_config, suite) {
    tell({ total: suite.allTests().length, units: 'tests' })
  }

  /** @param {import('@playwright/test/reporter').TestCase} test */
  onTestBegin(test) {
    tell({ started: relative(root, test.location.file) })
  }

  /**
   * @param {import('@playwright/test/reporter').TestCase} test
   * @param {import('@playwright/test/reporter').TestResult} result
   */
  onTestEnd(test, { status, duration, errors }) {
    const file = relative(root, test.location.file)
    // A test that is expected to fail, and does, has passed; one that passes at a second try has not.
    const outcome = status === 'skipped' ? 'skipped' : status === test.expectedStatus ? 'passed' : 'failed'
    const repeat = `npm test -- ${file}:${test.location.line}`
    const message = errors.map((error) => stripVTControlCharacters(error.message ?? error.value ?? '')).join('\n')
    tell({
      ended: file,
      seconds: duration / 1000,
      passed: outcome === 'passed' ? 1 : 0,
      skipped: outcome === 'skipped' ? 1 : 0,
      failures: outcome === 'failed' ? [{ name: [file, ...test.titlePath().slice(3)].join(' > '), message, repeat }] : [],
    })
  }
}
