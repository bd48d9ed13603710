import { relative } from 'node:path'

import { root } from '../support/run.mjs'
import { quoted, tell } from './test-events.mjs'

/** As fast-check reports the failure of a property. */
const SEED = /\{ seed: (-?\d+), path: "/

/**
 * Tells how a run of Vitest goes.
 *
 * @implements {Pick<import('vitest/node').Reporter, 'onTestRunStart'>}
 */
// oxlint-disable-next-line import/no-default-export -- Vitest takes the default export of a reporter's file
export default class ProgressReporter {
  /** By file. @type {Map<string, number>} */
  #began = new Map()

  /** @param {readonly unknown[]} files */
  onTestRunStart(files) {
    tell({ total: files.length, units: 'files' })
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart({ moduleId }) {
    this.#began.set(moduleId, Date.now())
    tell({ started: relative(root, moduleId) })
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const file = relative(root, module.moduleId)
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === 'failed').map((test) => failedTest(file, test))
    const { collectDuration, setupDuration } = module.diagnostic()
    const millis = Date.now() - (this.#began.get(module.moduleId) ?? Date.now()) + collectDuration + setupDuration
    const failures = [...failed, ...brokenSuites(file, module)]
    if (failures.length === 0 && !module.ok()) failures.push(failedFile(file, module.errors()))
    tell({
      ended: file,
      seconds: millis / 1000,
      passed: tests.filter((test) => test.result().state === 'passed').length,
      skipped: tests.filter((test) => test.result().state === 'skipped').length,
      failures,
    })
  }
}

/**
 * @param {string} file
 * @param {import('vitest/node').TestCase} test
 * @returns {import('./test-events.mjs').FailedTest}
 */
function failedTest(file, test) {
  const message = messageOf(test.result().errors ?? [])
  const [, seed] = SEED.exec(message) ?? []
  const name = test.fullName.replaceAll(' > ', ' ')
  const repeat = `${seed === undefined ? '' : `PROPERTY_SEED=${seed} `}npm test -- ${file} -t ${quoted(escaped(name))}`
  return { name: `${file} > ${test.fullName}`, message, repeat }
}

/**
 * @param {string} file
 * @param {readonly { message: string }[]} errors
 * @returns {import('./test-events.mjs').FailedTest}
 */
function failedFile(file, errors) {
  return { name: file, message: messageOf(errors), repeat: `npm test -- ${file}` }
}

/**
 * Suites whose hooks failed after all their tests had passed.
 *
 * @param {string} file
 * @param {import('vitest/node').TestModule} module
 */
function brokenSuites(file, module) {
  return [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).map((suite) => failedFile(file, suite.errors()))
}

/** @param {readonly { message: string }[]} errors */
function messageOf(errors) {
  return errors.map(({ message }) => message).join('\n')
}

/** @param {string} text to be matched by a regular expression */
function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
