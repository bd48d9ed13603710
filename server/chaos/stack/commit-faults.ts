import { type Path, pickWeighted } from '../seeded-random.ts'
import { createStatementReader } from './postgres-statements.ts'
import { type TapLine } from './tcp-proxy.ts'

/**
 * What happens at the moment of a commit. killedBefore: the server is killed before its COMMIT reaches the database. killedAfter: it is
 * killed once the database has committed, and has not heard of it. commitLost: the connection ends before the COMMIT arrives.
 * answerLost: it ends once the database has committed. To the server, the last two are the same.
 */
export const commitFaults = ['killedBefore', 'killedAfter', 'commitLost', 'answerLost'] as const
export type CommitFault = (typeof commitFaults)[number]
export type CommitCounts = Record<CommitFault, number>

export interface CommitRates {
  /** Of a commit that reserves, and co-signs a payment. */
  reservation: Partial<Record<CommitFault, number>>
  /** Of any other commit. */
  commit: Partial<Record<CommitFault, number>>
  /** Of any other statement, which may commit by itself. */
  statement: Partial<Pick<Record<CommitFault, number>, 'answerLost'>>
}

export interface CommitFaults {
  counts: CommitCounts
  tap: TapLine
  /** Nothing happens before. */
  begin(): void
  calm(): void
}

interface Options {
  seed: number
  /** Which server it is. */
  server: number
  rates: CommitRates
  kill(): void
}

/** The function that writes a reservation: ../functions/reservations.sql. */
const RESERVES = /\bwrite_co_signed\b/
const COMMITS = /^\s*commit\b/i
const BEGINS = /^\s*(?:begin|start transaction|rollback)\b/i

/** Faults between one server and its database. Which commit fails how depends on the seed alone. */
export function createCommitFaults({ seed, server, rates, kill }: Options): CommitFaults {
  const counts: CommitCounts = { killedBefore: 0, killedAfter: 0, commitLost: 0, answerLost: 0 }
  const numbers = { reservation: 0, commit: 0, statement: 0 }
  let active = false

  function draw(what: keyof CommitRates): CommitFault | undefined {
    numbers[what] += 1
    const path: Path = ['commit', server, what, numbers[what]]
    const fault = active ? pickWeighted<CommitFault>(seed, path, rates[what]) : undefined
    if (fault) counts[fault] += 1
    return fault
  }

  function tap(end: () => void) {
    const read = createStatementReader()
    let reserves = false
    let pending: CommitFault | undefined

    function drawFor(statement: string): CommitFault | undefined {
      if (BEGINS.test(statement)) reserves = false
      reserves ||= RESERVES.test(statement)
      if (!COMMITS.test(statement)) return draw('statement')
      const fault = draw(reserves ? 'reservation' : 'commit')
      reserves = false
      return fault
    }

    return {
      sent: (bytes: Buffer) => {
        for (const statement of read(bytes)) pending ??= drawFor(statement)
        if (pending === 'killedBefore') kill()
        if (pending === 'commitLost') end()
        return pending !== 'killedBefore' && pending !== 'commitLost'
      },
      answered: () => {
        if (pending === 'killedAfter') kill()
        if (pending === 'answerLost') end()
        return pending === undefined
      },
    }
  }

  return { counts, tap, begin: () => void (active = true), calm: () => void (active = false) }
}
