import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickShare, wholeBetween } from '../seeded-random.ts'
import { type Stack } from './stack.ts'

/**
 * What goes wrong beside single calls. node: an API server is killed, sometimes both. database: PostgreSQL is killed. freeze: the
 * chain's process stands still. stall: the way to the chain is blocked.
 */
const shares = { node: 0.5, database: 0.1, freeze: 0.2, stall: 0.2 }
type Disturbance = keyof typeof shares
const strikes: Record<Disturbance, string> = {
  node: '  a server is killed',
  database: '  PostgreSQL is killed',
  freeze: '  the chain stands still',
  stall: '  the chain cannot be reached',
}
export type DisturbanceCounts = Record<Disturbance, number>

export interface Disturber {
  counts: DisturbanceCounts
  /** Lets what is under way end; everything runs again then. */
  stop(): Promise<void>
}

const BOTH_NODES = 0.15
const DOWN_MILLIS = { low: 0, high: 2_000 }
const STILL_MILLIS = { low: 500, high: 4_000 }

/** Disturbs the stack now and then, on average once in `everyMillis`; what happens, and when, depends on the seed alone. */
export function disturb(stack: Stack, seed: number, everyMillis: number, say: (line: string) => void): Disturber {
  const counts: DisturbanceCounts = { node: 0, database: 0, freeze: 0, stall: 0 }
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    for (let n = 1; !stopping.signal.aborted; n++) {
      const path = ['disturbance', n]
      const pause = between(seed, [...path, 'pause'], everyMillis / 2, everyMillis * 1.5)
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
      const kind = pickShare<Disturbance>(seed, [...path, 'kind'], shares)
      if (stopping.signal.aborted || !kind) continue
      counts[kind] += 1
      say(strikes[kind])
      await strike(kind, path)
    }
  }

  async function strike(kind: Disturbance, path: Path): Promise<void> {
    const millis = between(seed, [...path, 'millis'], STILL_MILLIS.low, STILL_MILLIS.high)
    switch (kind) {
      case 'node':
        return killNodes(path)
      case 'database':
        return stack.killDatabase().catch(() => undefined)
      case 'freeze':
        return stack.chain.freeze(millis)
      case 'stall':
        return stack.proxy.stall(millis)
    }
  }

  async function killNodes(path: Path): Promise<void> {
    const both = happens(seed, [...path, 'both'], BOTH_NODES)
    const first = wholeBetween(seed, [...path, 'which'], 0, stack.nodes.length - 1)
    const victims = both ? stack.nodes : stack.nodes.slice(first, first + 1)
    await Promise.all(victims.map((node) => node.kill()))
    await delay(between(seed, [...path, 'down'], DOWN_MILLIS.low, DOWN_MILLIS.high))
    await Promise.all(victims.map((node) => node.start()))
  }

  return {
    counts,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
