import { type Probe } from '../checks/probes.ts'
import { type Observation, type Outage, type Recovery, resultsIn } from '../checks/recovery.ts'
import { counted, row } from '../report.ts'
import { tally } from '../tally.ts'
import { type Fault } from './faults.ts'

/** A fault, and how the product got over it. */
export interface Survived {
  fault: Fault
  recovery: Recovery
  failures: WriteFailures & {
    /** Of all calls of players. */
    players: ReadonlyMap<string, number>
  }
}

/** How often writes failed, by reason. */
interface WriteFailures {
  database: ReadonlyMap<string, number>
  servers: ReadonlyMap<string, number>
}

export function failuresIn(seen: Observation): WriteFailures {
  return { database: countFailures(seen.database, seen), servers: countFailures(seen.servers.flat(), seen) }
}

function countFailures(probes: readonly Probe[], span: Outage): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { failure } of resultsIn(probes, span)) if (failure !== undefined) tally(counts, failure)
  return counts
}

export function survivedLines({ fault, recovery, failures }: Survived): string[] {
  const { databaseMillis, writesMillis, eventsMillis } = recovery
  const [away, writes, events] = [databaseMillis, writesMillis, eventsMillis].map(seconds)
  return [
    row(fault.words, `no writes to the database for ${away}, through the servers for ${writes} more; no events for ${events} more`),
    row('', `writes that failed at the database: ${counted(failures.database)}`),
    row('', `writes that failed at the servers: ${counted(failures.servers)}`),
    row('', `calls of players that failed: ${counted(failures.players)}`),
  ]
}

/** @returns a sentence for each limit that was exceeded */
export function lateness({ fault, recovery: { writesMillis, eventsMillis }, failures }: Survived): string[] {
  const { words, writesWithinMillis, eventsWithinMillis, mayFailCalls } = fault
  const isLate = (millis: number, within: number) => `${seconds(millis)} more than the database, ${seconds(within)} allowed`
  const failed = counted(failures.players)
  return [
    writesMillis > writesWithinMillis && `${words}: no writes for ${isLate(writesMillis, writesWithinMillis)}`,
    eventsMillis > eventsWithinMillis && `${words}: no events for ${isLate(eventsMillis, eventsWithinMillis)}`,
    !mayFailCalls && failed !== 'none' && `${words}: calls of players failed, and none may: ${failed}`,
  ].filter((sentence) => sentence !== false)
}

function seconds(millis: number): string {
  return `${(millis / 1000).toFixed(1)} s`
}
