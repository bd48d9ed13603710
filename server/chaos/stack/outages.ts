import { setTimeout as delay } from 'node:timers/promises'

import { FINAL_DEPTH } from '../fast-chain/ledger.ts'
import { between, happens, type Path, pickWeighted, wholeBetween } from '../seeded-random.ts'
import { type SingleDatabase } from './stack-database.ts'
import { type Stack } from './stack.ts'

/**
 * What fails besides single calls. serverKilled: one API server, sometimes both. databaseKilled: PostgreSQL. chainFrozen: the chain's
 * process is suspended. chainUnreachable: the proxy answers nothing. chainForked: blocks that are not final are abandoned.
 */
const outages = ['serverKilled', 'databaseKilled', 'chainFrozen', 'chainUnreachable', 'chainForked'] as const
type Outage = (typeof outages)[number]
type OutageCounts = Record<Outage, number>

export interface OutagePace {
  /** Between two of them, on average. */
  everyMillis: number
  /** How often each of them is the next. */
  weights: Readonly<Partial<Record<Outage, number>>>
}

const logLines: Record<Outage, string> = {
  serverKilled: '  a server is killed',
  databaseKilled: '  PostgreSQL is killed',
  chainFrozen: '  the chain is frozen',
  chainUnreachable: '  the chain cannot be reached',
  chainForked: '  the chain abandons a fork',
}

export interface Outages {
  counts: OutageCounts
  /** Starts no further outage and waits until everything is running again. */
  stop(): Promise<void>
}

const BOTH_SERVERS = 0.15
const DOWN_MILLIS = { low: 0, high: 2_000 }
const CHAIN_MILLIS = { low: 500, high: 4_000 }

/** Causes one outage after another. What fails, and when, depends on the seed alone. */
export function startOutages(
  stack: Stack<SingleDatabase>,
  seed: number,
  { everyMillis, weights }: OutagePace,
  say: (line: string) => void,
): Outages {
  const counts: OutageCounts = { serverKilled: 0, databaseKilled: 0, chainFrozen: 0, chainUnreachable: 0, chainForked: 0 }
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
      case 'chainForked':
        return stack.chain.fork(wholeBetween(seed, [...path, 'blocks'], 1, FINAL_DEPTH))
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
