import { setTimeout as delay } from 'node:timers/promises'

import { readLamports, readLanded } from './checks/chain-record.ts'
import { checkOutcome } from './checks/check-outcome.ts'
import { checkAudit, checkForCrashes } from './checks/check-servers.ts'
import { deliveryTimes, recordConfirmations } from './checks/confirmation-times.ts'
import { readProduct } from './checks/product-record.ts'
import { waitUntilIdle } from './checks/wait-until-idle.ts'
import { type FaultRates } from './chain-faults/faults.ts'
import { createApiClient } from './players/api-client.ts'
import { runBuyer } from './players/buyer.ts'
import { createChainClient } from './players/chain-client.ts'
import { createPlayers } from './players/create-players.ts'
import { createJournal } from './players/journal.ts'
import { startListingPoller } from './players/listing-poller.ts'
import { type Player, type Run, STARTING_LAMPORTS } from './players/player.ts'
import { runSeller } from './players/seller.ts'
import { type ChaosReport, summarise } from './report.ts'
import { startOutages } from './stack/outages.ts'
import { openReconciliationLag } from './stack/reconciliation-lag.ts'
import { type Stack, startStack } from './stack/stack.ts'

export interface ChaosOptions {
  /** Decides who does what, what fails, and when. */
  seed: number
  /** The run ends after this many holds, or when its time is up. */
  purchases: number
  minutes: number
  buyers: number
  sellers: number
  /** The most purchase attempts per second. */
  perSecond: number
  /** The average time between two outages. */
  outageMillis: number
  /** Keeps the servers' logs even if nothing fails. */
  keepLogs: boolean
  say(line: string): void
}

const SLOT_MILLIS = 50
const HOLD_SECONDS = 5
const LISTINGS_PER_SELLER = 6
const PROGRESS_MILLIS = 10_000

const RATES: FaultRates = {
  calls: { dropped: 0.003, delayed: 0.01, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 },
  methods: {
    sendTransaction: { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06 },
    getSignatureStatuses: { dropped: 0.003, delayed: 0.02, rateLimited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 },
  },
  transactions: { vanished: 0.04, rolledBack: 0.005 },
}

/** Lets players trade on the real stack while everything around them fails, then checks that nothing was lost. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say } = options
  const startedAt = performance.now()
  say('building and starting the stack')
  const stack = await startStack({ seed, rates: RATES, slotMillis: SLOT_MILLIS, holdSeconds: HOLD_SECONDS })
  let keepLogs = true
  try {
    const report = await tradeAndCheck(options, stack, startedAt)
    keepLogs = options.keepLogs || report.violations.length > 0
    if (keepLogs) say(`the servers' logs are in ${stack.folder}`)
    return report
  } finally {
    await stack.stop({ keepLogs })
  }
}

async function tradeAndCheck(options: ChaosOptions, stack: Stack, startedAt: number): Promise<ChaosReport> {
  const closing = new AbortController()
  const run: Run = { seed: options.seed, chain: createChainClient(stack.chain.rpcUrl), journal: createJournal(), closing: closing.signal }
  const players = await createPlayers(run, { urls: urlsOf(stack), studioApiKey: stack.studioApiKey }, options)
  const confirmations = recordConfirmations(run.chain, run.journal)
  const progress = reportProgress(stack, run, options.say)
  const outages = startOutages(stack, options.seed, options.outageMillis, options.say)

  const selling = players.sellers.map((seller) => runSeller(run, seller, LISTINGS_PER_SELLER))
  const timeUp = setTimeout(() => closing.abort(), options.minutes * 60_000)
  const tradingSeconds = await letBuyersTrade(options, stack, run, players.buyers)
  clearTimeout(timeUp)

  options.say('the buyers are done; faults end, and the servers get time to finish')
  closing.abort()
  await outages.stop()
  stack.proxy.calm()
  await Promise.all(selling)
  const { rolledBack } = stack.proxy
  await waitUntilIdle(stack.databaseUrl, () => ({ journal: run.journal, confirmed: confirmations.confirmedAt.keys(), rolledBack }))
  await Promise.all([progress.stop(), confirmations.stop()])

  options.say('checking every payment, lamport and token')
  const everybody = [...players.buyers, ...players.sellers]
  const { product, violations } = await check(stack, run, everybody)
  for (const player of everybody) player.api.stop()
  return summarise({
    seed: options.seed,
    journal: run.journal,
    product,
    faults: stack.proxy.counts,
    outages: outages.counts,
    deliveries: deliveryTimes(product, confirmations),
    rateLimited: everybody.reduce((sum, player) => sum + player.api.rateLimited, 0),
    tradingSeconds,
    seconds: (performance.now() - startedAt) / 1000,
    violations,
  })
}

/** @returns how many seconds the buyers traded */
async function letBuyersTrade(options: ChaosOptions, stack: Stack, run: Run, buyers: readonly Player[]): Promise<number> {
  const startedAt = performance.now()
  const market = startListingPoller(createApiClient({ urls: urlsOf(stack), localAddress: undefined }))
  const nextTurn = createTurns(run, options)
  await Promise.all(buyers.map((buyer) => runBuyer(run, buyer, market, nextTurn)))
  const seconds = (performance.now() - startedAt) / 1000
  await market.stop()
  return seconds
}

/** Limits the pace of all buyers together: an overloaded market would show nothing but overload. Resolves to false when the run ends. */
function createTurns({ journal, closing }: Run, { purchases, perSecond }: ChaosOptions): () => Promise<boolean> {
  let next = Date.now()
  return async () => {
    const now = Date.now()
    next = Math.max(next + 1000 / perSecond, now)
    await delay(next - now)
    return !closing.aborted && journal.holds.size < purchases
  }
}

async function check(stack: Stack, { chain, journal }: Run, players: readonly Player[]) {
  const wallets = new Set(players.map((player) => player.wallet.address))
  const [landed, product, lamports] = await Promise.all([
    readLanded(chain, [...wallets]),
    readProduct(players),
    readLamports(chain, [...wallets]),
  ])
  const startingLamports = BigInt(STARTING_LAMPORTS)
  const outcome = { landed, lamports, startingLamports, rolledBack: stack.proxy.rolledBack, journal, product, wallets }
  return { product, violations: [...checkOutcome(outcome), ...(await checkAudit(stack)), ...checkForCrashes(stack)] }
}

function reportProgress(stack: Stack, { journal }: Run, say: (line: string) => void) {
  const lag = openReconciliationLag(stack.databaseUrl)
  const report = async () => {
    const seconds = await lag.seconds()
    const overdue = seconds === undefined ? '' : `, reconciliation is ${seconds.toFixed(1)} s behind`
    const faults = Object.values(stack.proxy.counts).reduce((sum, count) => sum + count, 0)
    say(`${journal.holds.size} purchases started, ${journal.payments.size} payments signed, ${faults} faults injected${overdue}`)
  }
  const timer = setInterval(() => void report(), PROGRESS_MILLIS)
  return {
    stop: async () => {
      clearInterval(timer)
      await lag.stop()
    },
  }
}

function urlsOf({ servers }: Stack): string[] {
  return servers.map((server) => server.url)
}
