import { noFaults } from '../chain-faults/faults.ts'
import { SELLER_PACE } from '../players/seller.ts'
import { row } from '../report.ts'
import { type Scenario } from '../scenario.ts'
import { createCreditProbe } from './credit-probe.ts'
import { type FaultRounds, runFaultRounds } from './fault-rounds.ts'
import { type Programs } from './packages.ts'
import { type PatroniDatabase, startPatroniDatabase } from './patroni-database.ts'
import { lateness, survivedLines } from './survived.ts'

/** Longer than most faults, so that few purchases end because of them. */
const HOLD_SECONDS = 15
/** Much longer than clients take to notice that a server is not ready. */
const DRAIN_SECONDS = 3

/** A Patroni cluster whose parts fail one after the other, like the servers. The chain works. */
export function patroniScenario(programs: Programs, rounds: FaultRounds): Scenario<PatroniDatabase> {
  return {
    takesFee: () => false,
    chain: 'local',
    sellers: SELLER_PACE,
    holdSeconds: HOLD_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    rates: noFaults,
    commitRates: undefined,
    // A fault is felt as the time in which nothing happens.
    restrictions: undefined,
    startDatabase: (folder) => startPatroniDatabase(programs, folder),
    disturb: async ({ stack, run, players, streams, say }) => {
      const wallets = players.map(({ wallet }) => wallet.address)
      const credits = createCreditProbe({ urls: stack.urls, studioApiKey: stack.studioApiKey, wallets, journal: run.journal })
      const stopping = new AbortController()
      const running = runFaultRounds(rounds, { stack, players, credits, streams, say }, stopping.signal)
      return {
        over: running.then(() => undefined),
        stop: async () => {
          stopping.abort()
          await running
        },
        findings: async () => {
          const survived = await running
          const { count, violations } = await credits.settle()
          const lines = [...survived.flatMap(survivedLines), row('credits', count)]
          return { lines, violations: [...violations, ...survived.flatMap(lateness)] }
        },
      }
    },
  }
}
