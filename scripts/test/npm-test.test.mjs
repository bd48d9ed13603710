import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { countsText, failuresText, runParts, slowestText, timesText } from '../testing/parts.mjs'
import { root, runNode, StepFailed } from '../support/run.mjs'
import { readEvent, Tally } from '../testing/test-events.mjs'
import { runPlaywright, runVitest } from '../testing/test-runs.mjs'

/** @param {string} title */
const passing = (title, counts = { passed: 1, failed: 0, skipped: 0 }) => ({ title, run: async () => counts })
/** @param {string} title */
const failing = (title, counts = { passed: 0, failed: 0, skipped: 0 }) => {
  return { title, run: () => Promise.reject(new StepFailed(title, 'output', { repeat: [`npm run ${title}`], counts })) }
}

describe('npm test', () => {
  it('runs what comes after a failed part, except what needs that part, and lists all that failed', async () => {
    const browser = { ...passing('browser'), needs: ['build'] }
    const last = { ...passing('last'), after: ['build'] }
    const outcomes = await runParts([failing('types'), passing('rules'), failing('build'), browser, last])
    expect(outcomes.map(({ title, failure, missing }) => [title, failure?.message ?? missing])).toEqual([
      ['types', 'types failed'],
      ['rules', undefined],
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

  it('runs parts side by side, unless one comes after another, and tells of each as it ends', async () => {
    let build = (/** @type {undefined} */ _value) => {}
    const built = new Promise((/** @type {(value: undefined) => void} */ done) => (build = done))
    /** @type {string[]} */
    const ended = []
    const parts = [{ title: 'build', run: () => built }, { ...passing('browser'), after: ['build'] }, passing('rules')]
    const run = runParts(parts, ({ title }) => ended.push(title))
    await expect.poll(() => ended).toEqual(['rules'])
    build(undefined)
    await run
    expect(ended).toEqual(['rules', 'build', 'browser'])
  })

  it('counts a failed part at least once', async () => {
    const failed = failing('market', { passed: 10, failed: 2, skipped: 0 })
    const passed = passing('browser', { passed: 5, failed: 0, skipped: 1 })
    expect(countsText(await runParts([failing('types'), failed, passed]))).toBe('15 passed, 3 failed, 1 skipped')
    expect(countsText(await runParts([passing('rules', { passed: 10, failed: 0, skipped: 0 })]))).toBe('10 passed, 0 failed')
  })

  it('ends at once when a part throws what is not a failure of its program', async () => {
    const broken = { title: 'broken', run: () => Promise.reject(new TypeError('a bug')) }
    await expect(runParts([broken])).rejects.toThrow('a bug')
  })

  it('says how long each part took, and which files took longest', async () => {
    const [rules, build] = [
      { title: 'Rules', seconds: 9.04, counts: { passed: 7, failed: 1, skipped: 2 } },
      { title: 'Build', seconds: 12.3 },
    ]
    expect(timesText([rules, build, { title: 'Browser', seconds: 0, missing: 'Build' }])).toBe(
      '  Rules     9.0 s  7 passed, 1 failed, 2 skipped\n  Build    12.3 s',
    )
    const times = new Map([
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ])
    expect(slowestText(times, 2)).toBe('     3.0 s  b\n     2.0 s  c')
  })

  it('follows a run by the lines that its reporter prints', async () => {
    const events = [
      { total: 2, units: 'files' },
      { started: 'a' },
      { started: 'b' },
      { ended: 'a', seconds: 1.5, passed: 3, skipped: 1, failures: [] },
    ]
    const program = `for (const event of ${JSON.stringify(events)}) { console.log('words'); console.log('\\u001e' + JSON.stringify(event)) }`
    const tally = new Tally()
    const onLine = (/** @type {string} */ line) => {
      const event = readEvent(line)
      if (event) tally.add(event)
      return event !== undefined
    }
    const { output } = await runNode(['-e', program], { onLine })
    expect(output).toBe('words\n'.repeat(4))
    expect(tally).toMatchObject({ total: 2, units: 'files', done: 1, passed: 3, skipped: 1, failures: [], running: ['b'] })
    expect([...tally.seconds]).toEqual([['a', 1.5]])
  })

  const samples = join(root, 'scripts', 'test', 'samples')
  const quiet = { begin: () => undefined, end: () => undefined, failed: () => undefined }

  it('counts the tests of Vitest, and repeats a failed one by its name and seed, or its file if that is what failed', async () => {
    const tally = new Tally()
    const run = runVitest({ title: 'rules', tally, display: quiet }, [`--config=${join(samples, 'vitest.config.ts')}`])
    await expect(run).rejects.toMatchObject({ counts: { passed: 3, failed: 4, skipped: 1 } })
    const file = 'scripts/test/samples'
    expect(tally.failures.map(({ repeat }) => repeat).sort()).toEqual([
      `PROPERTY_SEED=-42 npm test -- ${file}/tests.sample.mjs -t 'paging of a seller'\\''s \\(any\\)'`,
      `npm test -- ${file}/broken-hook.sample.mjs`,
      `npm test -- ${file}/broken-import.sample.mjs`,
      `npm test -- ${file}/tests.sample.mjs -t 'fails'`,
    ])
    expect(tally).toMatchObject({ total: 3, done: 3, units: 'files', running: [] })
  })

  it('counts the tests of the browser, and repeats a failed one by its line', async () => {
    const tally = new Tally()
    const run = runPlaywright({ title: 'browser', tally, display: quiet }, [`--config=${join(samples, 'playwright.config.mjs')}`])
    await expect(run).rejects.toMatchObject({ counts: { passed: 2, failed: 1, skipped: 1 } })
    expect(tally.failures.map(({ repeat }) => repeat)).toEqual(['npm test -- scripts/test/samples/browser.sample.mjs:7'])
    expect(tally).toMatchObject({ total: 4, done: 4, units: 'tests', running: [] })
  })
})
