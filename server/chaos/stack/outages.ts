import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickWeighted, wholeBetween } from '../seeded-random.ts'
import { type SingleDatabase } from './stack-database.ts'
import { type Stack } from './stack.ts'

/**
 * What fails besides single calls. serverKilled: one API server, sometimes both. databaseKilled: PostgreSQL. chainFrozen: the chain's
 * process is suspended. chainUnreachable: the proxy answers nothing.
 */
const weights = { serverKilled: 0.5, databaseKilled: 0.1, chainFrozen: 0.2, chainUnreachable: 0.2 }
type Outage = keyof typeof weights
export type OutageCounts = Record<Outage, number>

const logLines: Record<Outage, string> = {
  serverKilled: '  a server is killed',
  databaseKilled: '  PostgreSQL is killed',
  chainFrozen: '  the chain is frozen',
  chainUnreachable: '  the chain cannot be reached',
}

export interface Outages {
  counts: OutageCounts
  /** Starts no further outage and waits until everything is running again. */
  stop(): Promise<void>
}

const BOTH_SERVERS = 0.15
const DOWN_MILLIS = { low: 0, high: 2_000 }
const CHAIN_MILLIS = { low: 500, high: 4_000 }

/** Causes an outage every `everyMillis` on average. What fails, and when, depends on the seed alone. */
export function startOutages(stack: Stack<SingleDatabase>, seed: number, everyMillis: number, say: (line: string) => void): Outages {
  const counts: OutageCounts = { serverKilled: 0, databaseKilled: 0, chainFrozen: 0, chainUnreachable: 0 }
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    for (let n = 1; !stopping.signal.aborted; n++) {
      const path = ['outage', n]
      const pause = between(seed, [...path, 'pause'], everyMillis / 2, everyMillis * 1.5)
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
      const outage = pickWeighted<Outage>(seed, [...path, 'kind'], weights)
      if (stopping.signal.aborted || !outage) continue
      counts[outage] += 1
      say(logLines[outage])
      await cause(outage, path)
    }
  }

  async function cause(outage: Outage, path: Path): Promise<void> {
    const millis = between(seed, [...path, 'millis'], CHAIN_MILLIS.low, CHAIN_MILLIS.high)
    switch (outage) {
      case 'serverKilled':
        return killServers(path)
      case 'databaseKilled':
        return stack.database.kill().catch(() => undefined)
      case 'chainFrozen':
        return stack.chain.freeze(millis)
      case 'chainUnreachable':
        return stack.proxy.stall(millis)
    }
  }

  async function killServers(path: Path): Promise<void> {
    const both = happens(seed, [...path, 'both'], BOTH_SERVERS)
    const first = wholeBetween(seed, [...path, 'which'], 0, stack.servers.length - 1)
    const victims = both ? stack.servers : stack.servers.slice(first, first + 1)
    const millis = between(seed, [...path, 'down'], DOWN_MILLIS.low, DOWN_MILLIS.high)
    await Promise.all(victims.map((server) => server.killFor(millis)))
  }

  return {
    counts,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
