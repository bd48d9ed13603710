import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { type EventStreams } from '../checks/event-streams.ts'
import { type Probing, startProbing } from '../checks/probes.ts'
import { measureRecovery, outagesIn } from '../checks/recovery.ts'
import { type Player } from '../players/player.ts'
import { between } from '../seeded-random.ts'
import { type Stack } from '../stack/stack.ts'
import { since, total } from '../tally.ts'
import { type CreditProbe } from './credit-probe.ts'
import { type FaultName, faults } from './faults.ts'
import { type PatroniDatabase } from './patroni-database.ts'
import { failuresIn, type Survived, survivedLines } from './survived.ts'

export interface FaultRounds {
  seed: number
  /** Caused in every round, in an order that the seed decides. */
  names: readonly FaultName[]
  rounds: number
}

interface Site {
  stack: Stack<PatroniDatabase>
  players: readonly Player[]
  credits: CreditProbe
  streams: EventStreams
  say(line: string): void
}

/** Before the first fault and after each: enough purchases to see that everything works. */
const CALM_MILLIS = 8_000
const PROBE_MILLIS = 2_000
/** Long for a stream in a market where something happens all the time. */
const QUIET_MILLIS = 3_000
/** What does not work after this long never will. */
const GIVE_UP_MILLIS = 60_000
const POLL_MILLIS = 500

/** Causes one fault after the other, each on a stack that has got over the one before. */
export async function runFaultRounds({ seed, names, rounds }: FaultRounds, site: Site, stopping: AbortSignal): Promise<Survived[]> {
  const { stack, players, credits, streams, say } = site
  const failedCalls = () => total(players.map(({ api }) => api.failures))
  const database = startProbing(() => tryToWrite(stack.database.probeUrl))
  const servers = stack.servers.map(({ url }) => startProbing(() => credits.write(url)))
  const survived: Survived[] = []
  try {
    await pause(CALM_MILLIS, stopping)
    for (const [index, name] of inOrder(seed, names, rounds).entries()) {
      if (stopping.aborted) break
      const fault = faults[name]
      say(fault.words)
      const from = Date.now()
      const failedBefore = failedCalls()
      await fault.cause({ stack, seed, number: index + 1 })
      await stack.database.cluster.untilHealthy()
      await untilWorking([database, ...servers], streams, from, stopping)
      await pause(CALM_MILLIS, stopping)
      const seen = {
        from,
        until: Date.now(),
        database: database.probes,
        servers: servers.map(({ probes }) => probes),
        arrivals: streams.streams.map(({ arrivals }) => arrivals),
      }
      const found = {
        fault,
        recovery: measureRecovery(seen, fault),
        failures: { ...failuresIn(seen), players: since(failedBefore, failedCalls()) },
      }
      survived.push(found)
      for (const line of survivedLines(found)) say(line)
    }
  } finally {
    await Promise.all([database, ...servers].map((probing) => probing.stop()))
  }
  return survived
}

function inOrder(seed: number, names: readonly FaultName[], rounds: number): FaultName[] {
  return Array.from({ length: rounds }, (_, round) => {
    const place = (name: FaultName) => between(seed, ['fault', round, name], 0, 1)
    return names.toSorted((a, b) => place(a) - place(b))
  }).flat()
}

async function untilWorking(probings: readonly Probing[], { streams }: EventStreams, from: number, stopping: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + GIVE_UP_MILLIS; Date.now() < deadline && !stopping.aborted; await pause(POLL_MILLIS, stopping)) {
    const until = Date.now()
    const isWritable = probings.every(({ probes }) => outagesIn(probes, { from, until }).every((outage) => outage.until < until))
    if (isWritable && streams.every(({ arrivals }) => (arrivals.at(-1) ?? 0) > until - QUIET_MILLIS)) return
  }
}

/** Over a new connection, so that it shows the database and not how well a pool recovers. */
async function tryToWrite(url: string): Promise<undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_MILLIS, query_timeout: PROBE_MILLIS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('insert into probe default values')
  } finally {
    void client.end().catch(() => undefined)
  }
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  await delay(millis, undefined, { signal }).catch(() => undefined)
}
