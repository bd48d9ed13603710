import { type FaultRates } from './chain-faults/faults.ts'
import { counted, row } from './report.ts'
import { type Scenario } from './scenario.ts'
import { type CommitRates } from './stack/commit-faults.ts'
import { startOutages } from './stack/outages.ts'
import { type SingleDatabase, startSingleDatabase } from './stack/stack-database.ts'

const HOLD_SECONDS = 5

const RATES: FaultRates = {
  calls: { dropped: 0.003, delayed: 0.01, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 },
  methods: {
    sendTransaction: { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06, callerKilled: 0.004, callerKilledAfter: 0.003 },
    getSignatureStatuses: { dropped: 0.003, delayed: 0.02, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 },
  },
  transactions: { vanished: 0.04, rolledBack: 0.005 },
}

/** A server that is killed is down for seconds; a connection that ends is replaced at once. */
const COMMIT_RATES: CommitRates = {
  reservation: { killedBefore: 0.006, killedAfter: 0.008, commitLost: 0.015, answerLost: 0.03 },
  commit: { killedBefore: 0.0005, killedAfter: 0.0005, commitLost: 0.004, answerLost: 0.006 },
  statement: { answerLost: 0.0002 },
}

/** One PostgreSQL, killed now and then like the servers and the chain, whose calls fail as well. */
export function singleScenario({ outageMillis }: { outageMillis: number }): Scenario<SingleDatabase> {
  return {
    holdSeconds: HOLD_SECONDS,
    drainSeconds: 0,
    rates: RATES,
    commitRates: COMMIT_RATES,
    restricts: true,
    startDatabase: startSingleDatabase,
    disturb: async ({ stack, run, say }) => {
      const outages = startOutages(stack, run.seed, outageMillis, say)
      for (const faults of stack.commitFaults) faults.begin()
      return {
        over: new Promise(() => undefined),
        stop: async () => {
          for (const faults of stack.commitFaults) faults.calm()
          await outages.stop()
        },
        findings: async () => ({
          lines: [
            row('outages', counted(Object.entries(outages.counts))),
            ...stack.commitFaults.map(({ counts }, index) => row(`commits of server ${index + 1}`, counted(Object.entries(counts)))),
          ],
          violations: [],
        }),
      }
    },
  }
}
