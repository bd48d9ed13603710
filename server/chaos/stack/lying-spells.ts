import { setTimeout as delay } from 'node:timers/promises'

import { type Lie, lies } from '../chain-faults/lies.ts'
import { between, pickOne } from '../seeded-random.ts'
import { type Stack } from './stack.ts'

/** Times in which one endpoint lies. */
export interface LyingSpells {
  counts: Record<Lie, number>
  /** Has it lie no more. */
  stop(): Promise<void>
}

const GAP_MILLIS = { low: 2_000, high: 10_000 }
/** Up to longer than a blockhash of the run lives. */
const SPELL_MILLIS = { low: 1_000, high: 9_000 }

/** One lie after the other, with honest times in between. Which, and for how long, depends on the seed alone. */
export function startLyingSpells({ proxy }: Stack, seed: number): LyingSpells {
  const counts: Record<Lie, number> = {
    farAhead: 0,
    farBehind: 0,
    wrongBlockhashes: 0,
    failingSimulations: 0,
    hiding: 0,
    broadcasting: 0,
  }
  const stopping = new AbortController()
  const wait = (millis: number) => delay(millis, undefined, { signal: stopping.signal }).catch(() => undefined)
  const running = run()

  async function run(): Promise<void> {
    for (let n = 1; ; n++) {
      const path = ['lie', n]
      await wait(between(seed, [...path, 'gap'], GAP_MILLIS.low, GAP_MILLIS.high))
      const lie = pickOne(seed, path, lies)
      if (stopping.signal.aborted || !lie) return
      counts[lie] += 1
      proxy.lie(lie)
      await wait(between(seed, [...path, 'millis'], SPELL_MILLIS.low, SPELL_MILLIS.high))
      proxy.lie(undefined)
    }
  }

  return {
    counts,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
