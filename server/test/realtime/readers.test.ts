import { describe, expect, it } from 'vitest'

import { mostReaders } from '../../src/realtime/broadcast-events.ts'
import { shareReadings } from '../../src/realtime/routes.ts'

const at = (id: bigint) => ({ xid: '7', id, at: 1n })

describe('the most event streams of a server', () => {
  it.each([
    ['unlimited', 20_000],
    [65_536, 20_000],
    [20_000, 19_000],
    [1_024, 24],
    [256, 0],
  ] as const)('leave files for everything else: of %s, %i', (openFiles, most) => {
    expect(mostReaders(openFiles)).toBe(most)
  })
})

describe('readers who come back together', () => {
  function countedReadings() {
    let finish = () => {}
    const readings: string[] = []
    const read = shareReadings(async (last, position) => {
      readings.push(`${last.id} to ${position.id}`)
      await new Promise<void>((resolve) => (finish = resolve))
      return []
    })
    return { read, readings, finish: () => finish() }
  }

  it('share one reading of what they missed', async () => {
    const { read, readings, finish } = countedReadings()
    const all = Promise.all(Array.from({ length: 1_000 }, () => read(at(1n), at(5n))))
    finish()
    await all
    expect(readings).toEqual(['1 to 5'])
  })

  it('do not share it if they missed something else, or once it is over', async () => {
    const { read, readings, finish } = countedReadings()
    const first = read(at(1n), at(5n))
    finish()
    await first
    for (const [last, position] of [
      [1n, 5n],
      [2n, 5n],
      [1n, 6n],
    ] as const) {
      const next = read(at(last), at(position))
      finish()
      await next
    }
    expect(readings).toEqual(['1 to 5', '1 to 5', '2 to 5', '1 to 6'])
  })
})
