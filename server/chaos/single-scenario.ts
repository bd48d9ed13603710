import { type FaultRates } from './chain-faults/faults.ts'
import { counted, row } from './report.ts'
import { type Scenario } from './scenario.ts'
import { startOutages } from './stack/outages.ts'
import { type SingleDatabase, startSingleDatabase } from './stack/stack-database.ts'

const HOLD_SECONDS = 5

const RATES: FaultRates = {
  calls: { dropped: 0.003, delayed: 0.01, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 },
  methods: {
    sendTransaction: { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06 },
    getSignatureStatuses: { dropped: 0.003, delayed: 0.02, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 },
  },
  transactions: { vanished: 0.04, rolledBack: 0.005 },
}

/** One PostgreSQL, killed now and then like the servers and the chain, whose calls fail as well. */
export function singleScenario({ outageMillis }: { outageMillis: number }): Scenario<SingleDatabase> {
  return {
    holdSeconds: HOLD_SECONDS,
    drainSeconds: 0,
    rates: RATES,
    restricts: true,
    startDatabase: startSingleDatabase,
    disturb: async ({ stack, run, say }) => {
      const outages = startOutages(stack, run.seed, outageMillis, say)
      return {
        over: new Promise(() => undefined),
        stop: () => outages.stop(),
        findings: async () => ({ lines: [row('outages', counted(Object.entries(outages.counts)))], violations: [] }),
      }
    },
  }
}
