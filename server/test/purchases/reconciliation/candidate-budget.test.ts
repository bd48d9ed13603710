import { describe, expect, it } from 'vitest'
import { CandidateBudget } from '../../../src/purchases/reconciliation/history-search.ts'

/** Takes as many turns as it gets, at moments 100 ms apart, for so many seconds. Returns when those turns are. */
function turns(budget: CandidateBudget, subjects: readonly string[], { perSecond, seconds }: { perSecond: number; seconds: number }) {
  const taken: { subject: string; at: number }[] = []
  for (let now = 0; now < seconds * 1_000; now += 100) {
    for (const subject of subjects) {
      for (let wait = budget.take(subject, perSecond, now); wait !== undefined; wait = budget.take(subject, perSecond, now)) {
        taken.push({ subject, at: now + wait })
      }
    }
  }
  return taken
}

describe('the budget for transactions that anybody can make', () => {
  it('is at most a fifth of the limit, however many there are', () => {
    const subjects = Array.from({ length: 50 }, (_, n) => `${n}`)
    for (const perSecond of [5, 10, 40]) {
      const times = turns(new CandidateBudget(), subjects, { perSecond, seconds: 60 }).map(({ at }) => at)
      for (const at of times) expect(times.filter((time) => time >= at && time < at + 1_000).length).toBeLessThanOrEqual(perSecond / 5)
    }
  })

  it('gives one purchase sixteen turns, then one a second', () => {
    const taken = turns(new CandidateBudget(), ['flooded'], { perSecond: 900, seconds: 60 }).map(({ at }) => at)
    expect(taken.filter((at) => at < 1_000).length).toBeLessThanOrEqual(17)
    expect(taken.length).toBeGreaterThanOrEqual(74)
    expect(taken.length).toBeLessThanOrEqual(76)
  })

  it('has a turn within four seconds for a purchase that had none yet, whoever floods it', () => {
    const budget = new CandidateBudget()
    const flooded = Array.from({ length: 50 }, (_, n) => `${n}`)
    turns(budget, flooded, { perSecond: 10, seconds: 60 })
    expect(budget.take('honest', 10, 60_000)).toBeLessThanOrEqual(4_000)
    expect(budget.take('0', 10, 60_000)).toBeUndefined()
  })

  it('lets a purchase that had none yet wait longer than one that is flooded', () => {
    const budget = new CandidateBudget()
    turns(budget, ['flooded'], { perSecond: 10, seconds: 1 })
    expect(budget.take('flooded', 10, 900)).toBeUndefined()
    expect(budget.take('honest', 10, 900)).toBeGreaterThan(2_000)
  })

  it('has no limits for an endpoint that has none', () => {
    const budget = new CandidateBudget()
    for (let n = 0; n < 1_000; n += 1) expect(budget.take('flooded', 2_000, 0)).toBe(0)
  })
})
