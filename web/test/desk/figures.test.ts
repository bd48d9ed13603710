import { type StatsRow } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { exactSol, roughSol } from '../../src/desk/parts/shown.tsx'
import { countByAge, countByKind, fillDays, fillHours, firstDay, firstHour, isBehind } from '../../src/desk/today/figures.ts'

const now = Date.parse('2030-01-31T15:00:00Z')

function row(day: string, sales: number): StatsRow {
  return {
    day,
    sales,
    amount: sales,
    buyers: 1,
    volumeLamports: '1500000000',
    medianUnitPrice: 0.3,
    feesLamports: '5',
    credited: 0,
    debited: 0,
  }
}

describe('days', () => {
  it('without anything are there too, up to today', () => {
    const days = fillDays([row('2030-01-29', 4)], '2030-01-28', now)
    expect(days.map(({ day, sales }) => [day, sales])).toEqual([
      ['2030-01-28', 0],
      ['2030-01-29', 4],
      ['2030-01-30', 0],
      ['2030-01-31', 0],
    ])
    expect(days[0]).toMatchObject({ volumeLamports: 0n, medianUnitPrice: null })
    expect(days[1]).toMatchObject({ volumeLamports: 1_500_000_000n, feesLamports: 5n, medianUnitPrice: 0.3 })
  })

  it('are counted in UTC, today included', () => {
    expect(firstDay(now, 1)).toBe('2030-01-31')
    expect(firstDay(now, 30)).toBe('2030-01-02')
    expect(fillDays([], firstDay(now, 30), now)).toHaveLength(30)
    expect(fillDays([], firstDay(Date.parse('2030-03-01T00:00:00Z'), 2), Date.parse('2030-03-01T00:00:00Z')).map(({ day }) => day)).toEqual(
      ['2030-02-28', '2030-03-01'],
    )
  })
})

describe('hours', () => {
  const inHour = (hour: string, sales: number): StatsRow => {
    const { day: _, ...figures } = row('', sales)
    return { hour, ...figures }
  }

  it('without anything are there too, up to the present one', () => {
    const later = now + 1_800_000
    const from = firstHour(later, 3)
    expect(from).toBe('2030-01-31T13:00:00Z')
    expect(firstHour(later, 0)).toBe('2030-01-31T16:00:00Z')
    const hours = fillHours([inHour('2030-01-31T14:00:00Z', 4)], from, later)
    expect(hours).toEqual([
      { start: '2030-01-31T13:00:00Z', sales: 0, volumeLamports: 0n },
      { start: '2030-01-31T14:00:00Z', sales: 4, volumeLamports: 1_500_000_000n },
      { start: '2030-01-31T15:00:00Z', sales: 0, volumeLamports: 0n },
    ])
  })

  it('go over midnight', () => {
    const midnight = Date.parse('2030-02-01T00:00:00Z')
    expect(fillHours([], firstHour(midnight, 2), midnight).map(({ start }) => start)).toEqual([
      '2030-01-31T23:00:00Z',
      '2030-02-01T00:00:00Z',
    ])
    expect(fillHours([], firstHour(midnight, 48), midnight)).toHaveLength(48)
  })
})

describe('open cases', () => {
  const cases = [
    { kind: 'late', openedAt: '2030-01-31T14:30:00Z' },
    { kind: 'wrong', openedAt: '2030-01-31T14:00:00Z' },
    { kind: 'late', openedAt: '2030-01-30T16:00:00Z' },
    { kind: 'late', openedAt: '2030-01-01T00:00:00Z' },
  ] as const

  it('are each in one column by their age', () => {
    expect(countByAge(cases, now)).toEqual([1, 2, 0, 1])
  })

  it('are counted by kind, with the oldest of each', () => {
    expect(countByKind(cases)).toEqual([
      { kind: 'late', count: 3, oldest: '2030-01-01T00:00:00Z' },
      { kind: 'wrong', count: 1, oldest: '2030-01-31T14:00:00Z' },
    ])
  })
})

describe('a webhook is behind', () => {
  const webhook = { enabled: true, failedAttempts: 0, waitingSince: null }

  it.each([
    ['not if nothing waits', webhook, false],
    ['not if nothing waits while it is off', { ...webhook, enabled: false }, false],
    ['not while a message has its turn', { ...webhook, waitingSince: '2030-01-31T14:59:30Z' }, false],
    ['if a message waits for long', { ...webhook, waitingSince: '2030-01-31T14:58:00Z' }, true],
    ['if a message failed', { ...webhook, failedAttempts: 1, waitingSince: '2030-01-31T14:59:59Z' }, true],
    ['if messages wait while it is off', { ...webhook, enabled: false, waitingSince: '2030-01-31T14:59:59Z' }, true],
  ] as const)('%s', (_, state, behind) => {
    expect(isBehind(state, now)).toBe(behind)
  })
})

describe('SOL', () => {
  it.each([
    [0n, '0', '0'],
    [1n, '0.000000001', '<0.001'],
    [1_234_500_000_000n, '1,234.5', '1,234.5'],
    [2_000_999_999n, '2.000999999', '2'],
    [123_456_789_012_345_678_901n, '123,456,789,012.345678901', '123,456,789,012.345'],
  ])('%s lamports are %s SOL, roughly %s', (lamports, exact, rough) => {
    expect([exactSol(lamports), roughSol(lamports)]).toEqual([exact, rough])
  })
})
