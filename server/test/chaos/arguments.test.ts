import { describe, expect, it } from 'vitest'

import { readArguments, usage } from '../../chaos/arguments.ts'
import { faultNames } from '../../chaos/patroni/faults.ts'

describe('the arguments of npm run chaos', () => {
  it('choose the single database unless they say otherwise', () => {
    expect(readArguments([])).toMatchObject({ kind: 'single', outageMillis: 6_000, options: { seed: 1, purchases: 5_000, sellers: 34 } })
  })

  it('ask with --database patroni for every fault once', () => {
    expect(readArguments(['--database', 'patroni', '--seed', '7'])).toMatchObject({
      kind: 'patroni',
      rounds: { seed: 7, names: faultNames, rounds: 1 },
      options: { perSecond: 10 },
    })
  })

  it('may name faults', () => {
    const given = readArguments(['--database', 'patroni', '--faults', 'switchover,serverKilled', '--rounds', '3'])
    expect(given).toMatchObject({ rounds: { names: ['switchover', 'serverKilled'], rounds: 3 } })
  })

  it.each([
    [['--database', 'mysql'], '--database is "mysql". It must be single or patroni.'],
    [['--rate', '0'], '--rate is "0". It must be a number above 0.'],
    [['--rounds', '2'], '--rounds needs --database patroni.'],
    [['--database', 'patroni', '--disturb', '3'], '--disturb does not go with --database patroni, whose faults follow each other.'],
    [['--database', 'patroni', '--faults', 'fire'], '--faults names "fire". The faults are '],
    [['--quickly'], "Unknown option '--quickly'"],
  ])('%j are refused with a sentence', (given, sentence) => {
    expect(() => readArguments(given)).toThrow(sentence)
  })

  it('are all explained by --help', () => {
    expect(readArguments(['--help'])).toEqual({ kind: 'help' })
    for (const name of [...faultNames, '--database', '--rounds', '--faults', '--seed', '--keep-logs']) expect(usage).toContain(name)
  })
})
