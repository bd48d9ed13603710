import { Failure } from '@juicebar/contract/errors'
import { describe, expect, it } from 'vitest'
import { createFailureLog, Outage } from '../../src/runtime/outage.ts'
import { repeat } from '../../src/runtime/repeat.ts'
import { collectLog } from './collected-log.ts'

const refused = () => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })
const noAnswers = new AggregateError([new Error('one: no answer in 5000 ms'), new Error('other: no answer in 5000 ms')], 'no answer')

describe('the failure log', () => {
  it.each([
    ['a database that is gone', refused(), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['the same on several addresses', new AggregateError([refused(), refused()], ''), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['a call without a database', new Failure('DATABASE_DOWN', { cause: refused() }), 'database', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['a stand-by', Object.assign(new Error('cannot execute UPDATE'), { code: '25006' }), 'database', 'cannot execute UPDATE'],
    [
      'a chain that is gone',
      new Failure('CHAIN_DOWN', { cause: noAnswers }),
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

const well = { fields: { outage: 'well' }, began: 'the well is dry', ended: 'the well has water', quietMillis: 3_000 }

function openOutage() {
  let millis = 0
  const { log, lines } = collectLog()
  const outage = new Outage({ log, ...well, clock: () => millis })
  return { outage, lines, pass: (more: number) => void (millis += more) }
}

describe('an outage', () => {
  it('is one line when it begins, and one when it ends, however much fails', () => {
    const { outage, lines, pass } = openOutage()
    for (let failed = 0; failed < 2_270; failed++) {
      pass(12)
      outage.failed(`reason ${failed}`)
    }
    outage.worked()
    pass(3_000)
    outage.worked()
    outage.worked()
    expect(lines).toMatchObject([
      { level: 40, outage: 'well', reason: 'reason 0', msg: 'the well is dry' },
      { level: 40, outage: 'well', seconds: 27.2, failed: 2_270, msg: 'the well has water' },
    ])
  })

  it('goes on while things fail between those that work', () => {
    const { outage, lines, pass } = openOutage()
    for (let round = 0; round < 100; round++) {
      outage.failed('away')
      pass(1_000)
      outage.worked()
      pass(1_000)
      outage.worked()
    }
    expect(lines).toHaveLength(1)
    pass(3_000)
    outage.worked()
    expect(lines[1]).toMatchObject({ seconds: 199, failed: 100 })
  })

  it('is told again when it comes again, and counts from zero', () => {
    const { outage, lines, pass } = openOutage()
    for (let time = 0; time < 2; time++) {
      outage.failed('away')
      outage.worked()
      pass(3_000)
      outage.worked()
    }
    const once = [{ msg: 'the well is dry' }, { msg: 'the well has water', failed: 1 }]
    expect(lines).toMatchObject([...once, ...once])
    expect(lines.map(({ failed }) => failed)).toEqual([undefined, 1, undefined, 1])
  })

  it('may be noticed before anything fails because of it', () => {
    const { outage, lines, pass } = openOutage()
    outage.worked()
    outage.began('nobody answers')
    outage.began('still nobody')
    outage.worked()
    pass(3_000)
    outage.worked()
    expect(lines).toMatchObject([{ reason: 'nobody answers' }, { failed: 0 }])
  })
})
