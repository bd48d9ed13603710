import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { readArguments, usage } from '../../chaos/arguments.ts'
import { faultNames } from '../../chaos/patroni/faults.ts'
import { nextRound } from '../../chaos/rounds.ts'
import { findPrograms } from '../../chaos/patroni/packages.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

describe('the arguments of npm run chaos', () => {
  it('choose the single database unless they say otherwise', () => {
    expect(readArguments([])).toMatchObject({
      kind: 'single',
      outageMillis: 6_000,
      options: { seed: 1, purchases: 5_000, sellers: 34, slotMillis: 50 },
    })
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

  it('trade in rounds on the fast chain, with sellers for one of them', () => {
    expect(readArguments(['--chain', 'fast', '--purchases', '300000', '--resume', 'rounds.jsonl'])).toMatchObject({
      kind: 'rounds',
      outageMillis: 15_000,
      resume: 'rounds.jsonl',
      options: { purchases: 300_000, sellers: 67, slotMillis: 50 },
    })
  })

  it.each([
    [['--chain', 'slow'], '--chain is "slow". It must be local or fast.'],
    [['--resume', 'rounds.jsonl'], '--resume needs --chain fast.'],
    [['--chain', 'fast', '--database', 'patroni'], '--chain fast does not go with --database patroni.'],
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
    for (const name of [...faultNames, '--database', '--rounds', '--faults', '--seed', '--keep-logs', '--chain', '--resume'])
      expect(usage).toContain(name)
  })
})

describe('the next round on the fast chain', () => {
  const wanted = { seed: 3, purchases: 25_000 }
  const round = (seed: number, purchases: number) => ({ seed, purchases, violations: [] as string[] })

  it.each([
    ['begins with the seed of the run', [], { seed: 3, purchases: 10_000 }],
    ['takes the next seed', [round(3, 10_002)], { seed: 4, purchases: 10_000 }],
    ['leaves out what an earlier run has done', [round(4, 10_000)], { seed: 3, purchases: 10_000 }],
    ['is no larger than what is left', [round(3, 10_000), round(4, 10_000)], { seed: 5, purchases: 5_000 }],
    ['is none once there are enough', [round(9, 25_000)], undefined],
    ['is none after a violation', [{ ...round(3, 10_000), violations: ['one token is lost'] }], undefined],
  ])('%s', (_, rounds, next) => {
    expect(nextRound(rounds, wanted)).toEqual(next)
  })
})

/** A machine with these programs, and PostgreSQL in these versions. */
async function machineWith(programs: readonly string[], postgresVersions: readonly string[]) {
  const folder = await tempFolder(Object.fromEntries(programs.map((name) => [name, ''])))
  const postgres = join(folder, 'postgresql')
  for (const version of postgresVersions) await mkdir(join(postgres, version), { recursive: true })
  for (const name of programs) await chmod(join(folder, name), 0o755)
  return { path: `/nowhere:${folder}`, postgres, folder }
}

describe('a run on Patroni', () => {
  it('names every package that is missing, and how to install them', async () => {
    const machine = await machineWith([], [])
    await expect(findPrograms(machine)).rejects.toThrow(
      "A run on Patroni needs Debian's packages etcd-server, patroni, haproxy and postgresql-15, which are not installed here: " +
        'apt-get install etcd-server patroni haproxy postgresql-15. None of their services needs to run.',
    )
  })

  it('names one package in the singular', async () => {
    const machine = await machineWith(['etcd', 'patroni', 'haproxy'], ['13'])
    await expect(findPrograms(machine)).rejects.toThrow("needs Debian's package postgresql-15, which is not installed here")
  })

  it('finds the programs, and the newest PostgreSQL', async () => {
    const { folder, postgres, path } = await machineWith(['etcd', 'patroni', 'haproxy'], ['9.6', '15', '17'])
    expect(await findPrograms({ path, postgres })).toEqual({
      etcd: join(folder, 'etcd'),
      patroni: join(folder, 'patroni'),
      haproxy: join(folder, 'haproxy'),
      postgresFolder: join(postgres, '17', 'bin'),
    })
  })
})
