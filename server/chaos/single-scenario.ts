import { type FaultRates } from './chain-faults/faults.ts'
import { counted, row } from './report.ts'
import { type Scenario } from './scenario.ts'
import { type CommitRates } from './stack/commit-faults.ts'
import { startLyingSpells } from './stack/lying-spells.ts'
import { startOutages } from './stack/outages.ts'
import { type SingleDatabase, startSingleDatabase } from './stack/stack-database.ts'

const HOLD_SECONDS = 5

const RATES: FaultRates = {
  calls: { dropped: 0.003, delayed: 0.01, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 },
  methods: {
    sendTransaction: { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06, callerKilled: 0.002, callerKilledAfter: 0.0015 },
    getSignatureStatuses: { dropped: 0.003, delayed: 0.02, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 },
  },
  transactions: { vanished: 0.04, rolledBack: 0.005 },
}

/** A server that is killed is down for seconds; a connection that ends is replaced at once. */
const COMMIT_RATES: CommitRates = {
  reservation: { killedBefore: 0.003, killedAfter: 0.004, commitLost: 0.01, answerLost: 0.02 },
  commit: { killedBefore: 0.0001, killedAfter: 0.0001, commitLost: 0.001, answerLost: 0.002 },
  statement: { answerLost: 0.00005 },
}

/** One PostgreSQL, killed now and then like the servers and the chain, whose calls fail as well. */
export function singleScenario({ outageMillis }: { outageMillis: number }): Scenario<SingleDatabase> {
  return {
    takesFee: (seed) => seed % 2 === 0,
    holdSeconds: HOLD_SECONDS,
    drainSeconds: 0,
    rates: RATES,
    commitRates: COMMIT_RATES,
    restricts: true,
    startDatabase: startSingleDatabase,
    disturb: async ({ stack, run, say }) => {
      const outages = startOutages(stack, run.seed, outageMillis, say)
      const spells = startLyingSpells(stack, run.seed)
      for (const faults of stack.commitFaults) faults.begin()
      return {
        over: new Promise(() => undefined),
        stop: async () => {
          for (const faults of stack.commitFaults) faults.calm()
          await Promise.all([outages.stop(), spells.stop()])
        },
        findings: async () => ({
          lines: [
            row('outages', counted(Object.entries(outages.counts))),
            row('spells of lies', counted(Object.entries(spells.counts))),
            ...stack.commitFaults.map(({ counts }, index) => row(`commits of server ${index + 1}`, counted(Object.entries(counts)))),
          ],
          violations: [],
        }),
      }
    },
  }
}
