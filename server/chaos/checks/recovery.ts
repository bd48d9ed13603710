import { type Probe } from './probes.ts'

/** What was seen of a fault. All times are Unix milliseconds. */
export interface Observation {
  from: number
  until: number
  /** Attempts to write to the database itself, over a new connection each. */
  database: readonly Probe[]
  /** Attempts to write through each server. */
  servers: readonly (readonly Probe[])[]
  /** When events arrived, on each stream. */
  arrivals: readonly (readonly number[])[]
}

/** How long a fault was felt. */
export interface Recovery {
  /** How long the database took no writes. */
  databaseMillis: number
  /** How much longer a server took none; or all servers, if the fault hits servers. */
  writesMillis: number
  /** How much longer a stream carried no event. */
  eventsMillis: number
}

/** A time in which attempts failed. */
export interface Outage {
  from: number
  until: number
}

/** What takes longer than this does not work as it should. */
const SLOW_MILLIS = 2_000
/** Failures this far apart, or nearer, are one outage. */
const APART_MILLIS = 2_000
/** For a server that is down, one that tried at most this much earlier or later stands in. */
const TOGETHER_MILLIS = 500

export function measureRecovery(seen: Observation, { hitsServers }: { hitsServers: boolean }): Recovery {
  const { from, until, arrivals } = seen
  const database = outagesIn(seen.database, seen)
  const databaseMillis = sum(database.map(lengthOf))
  const servers = hitsServers ? [anyOf(seen.servers, seen)] : seen.servers
  const excesses = servers.flatMap((probes) => outagesIn(probes, seen)).map((outage) => excessOf(outage, database))
  const silences = arrivals.map((moments) =>
    longestPause(
      moments.filter((moment) => moment >= from && moment <= until),
      from,
      until,
    ),
  )
  return {
    databaseMillis,
    writesMillis: Math.max(0, ...excesses),
    eventsMillis: Math.max(0, ...silences.map((silence) => silence - databaseMillis)),
  }
}

/** The outages in a span of time. One ends when the first attempt that began after its last failure has succeeded. */
export function outagesIn(probes: readonly Probe[], span: Outage): Outage[] {
  const { from, until } = span
  const outages: (Outage & { lastFailed: number })[] = []
  for (const { startedAt, endedAt, failure } of resultsIn(probes, span)) {
    const last = outages.at(-1)
    if (failure === undefined) {
      if (last && last.until === until && startedAt > last.lastFailed) last.until = endedAt
    } else if (last && startedAt - last.lastFailed <= APART_MILLIS) Object.assign(last, { lastFailed: startedAt, until })
    else outages.push({ from: Math.max(startedAt, from), until, lastFailed: startedAt })
  }
  return outages.map(({ from: began, until: ended }) => ({ from: began, until: ended }))
}

/** What is known of the attempts in a span of time, in the order of their beginnings. One that took too long failed as well. */
export function resultsIn(probes: readonly Probe[], { from, until }: Outage): Probe[] {
  return probes
    .filter(({ startedAt, endedAt }) => endedAt >= from && startedAt <= until)
    .map((probe) =>
      Math.min(probe.endedAt, until) - probe.startedAt > SLOW_MILLIS ? { ...probe, failure: probe.failure ?? 'slow' } : probe,
    )
    .filter(({ endedAt, failure }) => endedAt <= until || failure !== undefined)
}

/** How much of a server's outage is left once the database is there again. */
function excessOf(outage: Outage, database: readonly Outage[]): number {
  const causes = database.filter((cause) => cause.from < outage.until && cause.until > outage.from)
  return Math.max(0, outage.until - Math.max(outage.from, ...causes.map((cause) => cause.until)))
}

/** The attempts of all servers, without those that failed while another's succeeded. */
function anyOf(servers: readonly (readonly Probe[])[], span: Outage): Probe[] {
  const all = resultsIn(servers.flat(), span).toSorted((a, b) => a.startedAt - b.startedAt)
  const worked = all.filter(({ failure }) => failure === undefined).map(({ startedAt }) => startedAt)
  const isCovered = ({ startedAt }: Probe) => worked.some((other) => Math.abs(other - startedAt) <= TOGETHER_MILLIS)
  return all.filter((probe) => probe.failure === undefined || !isCovered(probe))
}

function longestPause(moments: readonly number[], from: number, until: number): number {
  const edges = [from, ...moments, until]
  return Math.max(...edges.slice(1).map((moment, index) => moment - (edges[index] ?? from)))
}

function lengthOf({ from, until }: Outage): number {
  return until - from
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
