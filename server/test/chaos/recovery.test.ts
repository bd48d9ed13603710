import { describe, expect, it } from 'vitest'

import { type Probe } from '../../chaos/checks/probes.ts'
import { measureRecovery, outagesIn } from '../../chaos/checks/recovery.ts'

const EVERY = 250
const span = { from: 10_000, until: 40_000 }

/** Attempts every 250 ms, of which those that begin in one of the spans fail. */
function probesThatFailIn(...spans: readonly (readonly [number, number])[]): Probe[] {
  return Array.from({ length: 200 }, (_, index) => {
    const startedAt = index * EVERY
    const fails = spans.some(([from, until]) => startedAt >= from && startedAt < until)
    return { startedAt, endedAt: startedAt + 10, failure: fails ? '503 DATABASE_DOWN' : undefined }
  })
}

const arrivals = [Array.from({ length: 500 }, (_, index) => index * 100)]
const quiet = { ...span, arrivals, database: probesThatFailIn(), servers: [probesThatFailIn(), probesThatFailIn()] }

describe('an outage', () => {
  it('ends when the first attempt after the last failure has succeeded', () => {
    expect(outagesIn(probesThatFailIn([12_000, 15_000]), span)).toEqual([{ from: 12_000, until: 15_010 }])
  })

  it('is one if it works for a moment in between, and two if for longer', () => {
    expect(outagesIn(probesThatFailIn([12_000, 13_000], [14_000, 15_000]), span)).toEqual([{ from: 12_000, until: 15_010 }])
    expect(outagesIn(probesThatFailIn([12_000, 13_000], [16_000, 17_000]), span)).toHaveLength(2)
  })

  it('lasts to the end if nothing works again', () => {
    expect(outagesIn(probesThatFailIn([12_000, 99_000]), span)).toEqual([{ from: 12_000, until: span.until }])
  })

  it('is an attempt that hangs, even if it is still under way or works in the end', () => {
    const hanging = { startedAt: 12_000, endedAt: Number.POSITIVE_INFINITY, failure: undefined }
    const rest = probesThatFailIn().filter(({ startedAt }) => startedAt > 12_000)
    expect(outagesIn([hanging, ...rest], { from: 10_000, until: 13_000 })).toEqual([])
    expect(outagesIn([hanging, ...rest], { from: 10_000, until: 14_100 })).toEqual([{ from: 12_000, until: 12_260 }])
    expect(outagesIn([{ ...hanging, endedAt: 15_000 }, ...rest], span)).toEqual([{ from: 12_000, until: 12_260 }])
  })
})

describe('a recovery', () => {
  it('is nothing where nothing failed', () => {
    expect(measureRecovery(quiet, { hitsServers: false })).toEqual({ databaseMillis: 0, writesMillis: 0, eventsMillis: 100 })
  })

  it('counts what the slowest server adds to the outage of the database', () => {
    const database = probesThatFailIn([12_000, 20_000])
    const servers = [probesThatFailIn([12_000, 20_500]), probesThatFailIn([11_500, 24_000])]
    const { databaseMillis, writesMillis } = measureRecovery({ ...quiet, database, servers }, { hitsServers: false })
    expect([databaseMillis, writesMillis]).toEqual([8_010, 4_000])
  })

  it('counts an outage of a server that the database had no part in', () => {
    const servers = [probesThatFailIn([30_000, 36_000]), probesThatFailIn()]
    const database = probesThatFailIn([12_000, 20_000])
    expect(measureRecovery({ ...quiet, database, servers }, { hitsServers: false }).writesMillis).toBe(6_010)
  })

  it('lets another server stand in only where the fault takes servers down', () => {
    const servers = [probesThatFailIn([12_000, 20_000]), probesThatFailIn([20_000, 30_000])]
    expect(measureRecovery({ ...quiet, servers }, { hitsServers: true }).writesMillis).toBe(0)
    expect(measureRecovery({ ...quiet, servers }, { hitsServers: false }).writesMillis).toBe(10_010)
    const both = [probesThatFailIn([12_000, 20_000]), probesThatFailIn([15_000, 30_000])]
    expect(measureRecovery({ ...quiet, servers: both }, { hitsServers: true }).writesMillis).toBeGreaterThan(3_500)
  })

  it('counts the longest silence of a stream, up to the end', () => {
    const deaf = [...arrivals, [10_500, 12_000]]
    expect(measureRecovery({ ...quiet, arrivals: deaf }, { hitsServers: false }).eventsMillis).toBe(28_000)
  })
})
