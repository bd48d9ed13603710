import { describe, expect, it } from 'vitest'

import { Outage } from '../../src/logging/outage.ts'
import { collectLog } from './collected-log.ts'

function open() {
  let millis = 0
  const { log, lines } = collectLog()
  const outage = new Outage({
    log,
    fields: { outage: 'well' },
    began: 'the well is dry',
    ended: 'the well has water',
    quietMillis: 3_000,
    clock: () => millis,
  })
  return { outage, lines, pass: (more: number) => void (millis += more) }
}

describe('an outage', () => {
  it('is one line when it begins, and one when it ends, however much fails', () => {
    const { outage, lines, pass } = open()
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
    const { outage, lines, pass } = open()
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
    const { outage, lines, pass } = open()
    for (let time = 0; time < 2; time++) {
      outage.failed('away')
      outage.worked()
      pass(3_000)
      outage.worked()
    }
    expect(lines.map(({ msg, failed }) => [msg, failed])).toEqual([
      ['the well is dry', undefined],
      ['the well has water', 1],
      ['the well is dry', undefined],
      ['the well has water', 1],
    ])
  })

  it('may be noticed before anything fails because of it', () => {
    const { outage, lines, pass } = open()
    outage.worked()
    outage.began('nobody answers')
    outage.began('still nobody')
    outage.worked()
    pass(3_000)
    outage.worked()
    expect(lines).toMatchObject([{ reason: 'nobody answers' }, { failed: 0 }])
  })
})
