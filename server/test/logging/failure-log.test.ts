import { Failure } from '@juicebar/contract/errors'
import { describe, expect, it } from 'vitest'

import { createFailureLog } from '../../src/logging/failure-log.ts'
import { repeat } from '../../src/repeat.ts'
import { collectLog } from './collected-log.ts'

const refused = () => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })
const silent = (host: string) => new Error(`${host}: no answer in 5000 ms`)

describe('the failure log', () => {
  it.each([
    ['a database that is gone', refused(), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['the same on several addresses', new AggregateError([refused(), refused()], ''), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['a call without a database', new Failure('DATABASE_DOWN', { cause: refused() }), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['a stand-by', Object.assign(new Error('cannot execute UPDATE'), { code: '25006' }), 'database', 'cannot execute UPDATE'],
    [
      'a chain that is gone',
      new Failure('CHAIN_DOWN', { cause: new AggregateError([silent('one'), silent('other')], 'no answer') }),
      'chain',
      'one: no answer in 5000 ms; other: no answer in 5000 ms',
    ],
    ['a spent budget', new Failure('CHAIN_BUSY', { retryAfter: 5 }), 'chain budget', new Failure('CHAIN_BUSY').message],
  ])('tells of %s once, with a reason and without a stack', (_what, error, outage, reason) => {
    const { log, lines } = collectLog('info')
    const failures = createFailureLog(log)
    for (let time = 0; time < 5; time++) failures.failed(error, { purchase: 'p' }, 'something failed')
    expect(lines).toMatchObject([{ level: 40, outage, reason }])
    expect(JSON.stringify(lines)).not.toContain('stack')
  })

  it('tells of what nobody foresaw each time, with its stack and what it is about', () => {
    const { log, lines } = collectLog()
    createFailureLog(log).failed(new TypeError('x is not a function'), { purchase: 'p' }, 'something failed')
    expect(lines).toMatchObject([
      { level: 50, purchase: 'p', msg: 'something failed', err: { stack: expect.stringContaining('TypeError') } },
    ])
  })
})

describe('work that is repeated', () => {
  it('counts what fails in an outage, and tells of an unforeseen series once', async () => {
    const { log, lines } = collectLog()
    const failures = createFailureLog(log)
    const stopping = new AbortController()
    const outcomes = [refused(), refused(), new TypeError('odd'), new TypeError('odd'), undefined, new TypeError('odd'), refused()]
    const work = async () => {
      const outcome = outcomes.shift()
      if (outcomes.length === 0) stopping.abort()
      if (outcome) throw outcome
    }
    await repeat(work, { everyMillis: 0, signal: stopping.signal, failures, failure: 'work failed' })
    expect(lines.map(({ msg }) => msg)).toEqual(['the database cannot be used', 'work failed'])
  })
})
