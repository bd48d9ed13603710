import { type FaultRates } from './chain-faults/faults.ts'
import { SELLER_PACE, type SellerPace } from './players/seller.ts'
import { counted, row } from './report.ts'
import { type Scenario } from './scenario.ts'
import { type ChainKind } from './stack/chain-process.ts'
import { type CommitRates } from './stack/commit-faults.ts'
import { startLyingSpells } from './stack/lying-spells.ts'
import { type OutagePace, startOutages } from './stack/outages.ts'
import { type RestrictionPace } from './studio/operator.ts'
import { type SingleDatabase, startSingleDatabase } from './stack/stack-database.ts'

const HOLD_SECONDS = 5

const CALLS = { dropped: 0.003, delayed: 0.01, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 }
const SENDING = { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06 }
const STATUSES = { dropped: 0.003, delayed: 0.02, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 }
const LOST_COMMITS = { commitLost: 0.01, answerLost: 0.02 }

interface Faults {
  rates: FaultRates
  /** A server that is killed is down for seconds; a connection that ends is replaced at once. */
  commitRates: CommitRates
  outages: OutagePace['weights']
  sellers: SellerPace
  restrictions: RestrictionPace
}

/**
 * A server that is killed costs two cores as much as hundreds of purchases. So on the fast chain, where a run has many times more of them,
 * one is killed more rarely for each purchase, and as often for each minute. So is the market paused.
 */
const FAULTS: Record<ChainKind, Faults> = {
  local: {
    rates: {
      calls: CALLS,
      methods: { sendTransaction: { ...SENDING, callerKilled: 0.002, callerKilledAfter: 0.0015 }, getSignatureStatuses: STATUSES },
      transactions: { vanished: 0.04, rolledBack: 0.005 },
    },
    commitRates: {
      reservation: { ...LOST_COMMITS, killedBefore: 0.003, killedAfter: 0.004 },
      commit: { killedBefore: 0.0001, killedAfter: 0.0001, commitLost: 0.001, answerLost: 0.002 },
      statement: { answerLost: 0.00005 },
    },
    outages: { serverKilled: 0.5, databaseKilled: 0.1, chainFrozen: 0.2, chainUnreachable: 0.2 },
    sellers: SELLER_PACE,
    restrictions: { pauseGapMillis: { low: 2_000, high: 12_000 }, blockGapMillis: { low: 300, high: 2_500 } },
  },
  fast: {
    rates: {
      calls: CALLS,
      methods: { sendTransaction: { ...SENDING, callerKilled: 0.0002, callerKilledAfter: 0.0002 }, getSignatureStatuses: STATUSES },
      transactions: { vanished: 0.04, rolledBack: 0.005 },
    },
    commitRates: {
      reservation: { ...LOST_COMMITS, killedBefore: 0.0003, killedAfter: 0.0004 },
      commit: { killedBefore: 0.00001, killedAfter: 0.00001, commitLost: 0.001, answerLost: 0.002 },
      statement: { answerLost: 0.00005 },
    },
    outages: { serverKilled: 0.3, databaseKilled: 0.05, chainFrozen: 0.1, chainUnreachable: 0.1, chainForked: 0.45 },
    sellers: { listings: 16, pauseMillis: { low: 1_500, high: 4_500 } },
    restrictions: { pauseGapMillis: { low: 20_000, high: 60_000 }, blockGapMillis: { low: 3_000, high: 12_000 } },
  },
}

/** One PostgreSQL, killed now and then like the servers and the chain, whose calls fail as well. */
export function singleScenario({ chain, outageMillis }: { chain: ChainKind; outageMillis: number }): Scenario<SingleDatabase> {
  const { rates, commitRates, outages: weights, sellers, restrictions } = FAULTS[chain]
  return {
    takesFee: (seed) => seed % 2 === 0,
    holdSeconds: HOLD_SECONDS,
    drainSeconds: 0,
    chain,
    sellers,
    rates,
    commitRates,
    restrictions,
    startDatabase: startSingleDatabase,
    disturb: async ({ stack, run, say }) => {
      const outages = startOutages(stack, run.seed, { everyMillis: outageMillis, weights }, say)
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
