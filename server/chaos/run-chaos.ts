import { setTimeout as delay } from 'node:timers/promises'

import { readGone, readLamports, readLanded } from './checks/chain-record.ts'
import { checkOutcome } from './checks/check-outcome.ts'
import { checkCheckouts, readCheckouts } from './checks/checkouts.ts'
import { checkAudit, checkForCrashes, checkForInternalErrors } from './checks/check-servers.ts'
import { auditPublicly } from './checks/public-audit.ts'
import { deliveryTimes, recordConfirmations } from './checks/confirmation-times.ts'
import { openEventStreams } from './checks/event-streams.ts'
import { readProduct } from './checks/product-record.ts'
import { readField } from './checks/read-product-api.ts'
import { checkServersFigures } from './checks/figures/read-figures.ts'
import { waitUntilIdle } from './checks/wait-until-idle.ts'
import { type ApiClient, createApiClient } from './players/api-client.ts'
import { runBuyer } from './players/buyer.ts'
import { createChainClient } from './players/chain-client.ts'
import { createPlayers } from './players/create-players.ts'
import { createJournal } from './players/journal.ts'
import { startListingPoller } from './players/listing-poller.ts'
import { type Player, type Run, STARTING_LAMPORTS } from './players/player.ts'
import { runSeller } from './players/seller.ts'
import { type ChaosReport, summarise } from './report.ts'
import { type ChaosOptions, type Disturbances, type Scenario } from './scenario.ts'
import { openReconciliationLag } from './stack/reconciliation-lag.ts'
import { type StackDatabase } from './stack/stack-database.ts'
import { type Stack, startStack } from './stack/stack.ts'
import { createShop } from './studio/shop.ts'
import { startStudio } from './studio/studio.ts'
import { total } from './tally.ts'

const PROGRESS_MILLIS = 10_000
/** The local chain searches all transactions for those of a wallet, and is asked for many wallets at once. */
const CHECK_MILLIS = 300_000

/** Lets players trade on the real stack while everything around them fails, then checks that nothing was lost. */
export async function runChaos<Database extends StackDatabase>(options: ChaosOptions, scenario: Scenario<Database>): Promise<ChaosReport> {
  const { seed, say } = options
  const startedAt = performance.now()
  say('building and starting the stack')
  const stack = await startStack({ ...scenario, takesFee: scenario.takesFee(seed), seed, slotMillis: options.slotMillis })
  let keepLogs = true
  try {
    const report = await tradeAndCheck(options, scenario, stack, startedAt)
    keepLogs = options.keepLogs || report.violations.length > 0
    if (keepLogs) say(`the servers' logs are in ${stack.folder}`)
    return report
  } finally {
    await stack.stop({ keepLogs })
  }
}

async function tradeAndCheck<Database extends StackDatabase>(
  options: ChaosOptions,
  scenario: Scenario<Database>,
  stack: Stack<Database>,
  startedAt: number,
): Promise<ChaosReport> {
  const closing = new AbortController()
  const journal = createJournal()
  const shopClient = createApiClient({ urls: stack.urls, localAddress: undefined, bearer: stack.studioApiKey })
  const run: Run = {
    seed: options.seed,
    slotMillis: options.slotMillis,
    chain: createChainClient(stack.chain.rpcUrl),
    journal,
    shop: createShop(options.seed, shopClient, journal, stack.feeBasisPoints),
    feeBasisPoints: stack.feeBasisPoints,
    closing: closing.signal,
    sendInstead: stack.proxy.sendInstead,
  }
  const players = await createPlayers(run, stack, options)
  const confirmations = recordConfirmations(run.chain, run.journal)
  const progress = reportProgress(stack, run, options.say)
  const everybody = [...players.buyers, ...players.sellers]
  const streams = openEventStreams(
    stack.servers.map(({ url }) => url),
    players.buyers,
  )
  const studio = startStudio({ ...options, journal: run.journal, stack, players: everybody, restrictions: scenario.restrictions })
  const disturbances = await scenario.disturb({ stack, run, players: everybody, streams, say: options.say })

  const selling = players.sellers.map((seller) => runSeller(run, seller, scenario.sellers))
  const tradingSeconds = await letBuyersTrade(options, { stack, run, disturbances }, players.buyers, closing)

  options.say('the buyers are done; faults end, and the servers get time to finish')
  closing.abort()
  await Promise.all([disturbances.stop(), studio.stopRestricting()])
  stack.proxy.calm()
  await Promise.all(selling)
  await waitUntilIdle(stack.database.url, async () => ({
    journal: run.journal,
    confirmed: confirmations.confirmedAt.keys(),
    lost: new Set([...stack.proxy.rolledBack, ...(await readGone(run.chain, stack.chain.forked))]),
  }))
  await Promise.all([progress.stop(), confirmations.stop()])

  options.say('checking every payment, lamport and token')
  const missed = await streams.close(stack.database.url)
  const disturbed = await disturbances.findings()
  const { product, checkouts, violations } = await check(stack, run, everybody, studio.clients)
  const ofStudio = await studio.findings(product)
  for (const { api } of [...everybody, run.shop]) api.stop()
  return summarise({
    seed: options.seed,
    journal: run.journal,
    product,
    checkouts,
    faults: stack.proxy.counts,
    chainCalls: stack.proxy.calls,
    disturbed: [...disturbed.lines, ...ofStudio.lines],
    streams: streams.streams,
    deliveries: deliveryTimes(product, confirmations),
    failedCalls: total(everybody.map(({ api }) => api.failures)),
    rateLimited: everybody.reduce((sum, player) => sum + player.api.rateLimited, 0),
    tradingSeconds,
    seconds: (performance.now() - startedAt) / 1000,
    violations: [...violations, ...missed, ...disturbed.violations, ...ofStudio.violations],
  })
}

interface Trading {
  stack: Stack
  run: Run
  disturbances: Disturbances
}

/** @returns how many seconds the buyers traded */
async function letBuyersTrade(
  options: ChaosOptions,
  { stack, run, disturbances }: Trading,
  buyers: readonly Player[],
  closing: AbortController,
): Promise<number> {
  const startedAt = performance.now()
  const timeUp = setTimeout(() => closing.abort(), options.minutes * 60_000)
  void disturbances.over.then(() => closing.abort())
  const market = startListingPoller(createApiClient({ urls: stack.urls, localAddress: undefined }))
  const nextTurn = createTurns(run, options)
  await Promise.all(buyers.map((buyer) => runBuyer(run, buyer, market, nextTurn)))
  const seconds = (performance.now() - startedAt) / 1000
  clearTimeout(timeUp)
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

/** As anybody can read it. */
async function readCoSigner({ urls }: Stack): Promise<string> {
  const api = createApiClient({ urls, localAddress: undefined })
  try {
    return await readField<string>(api, '/api/config', 'coSigner')
  } finally {
    api.stop()
  }
}

async function check(stack: Stack, { journal, shop }: Run, players: readonly Player[], others: readonly ApiClient[]) {
  const chain = createChainClient(stack.chain.rpcUrl, { timeoutMillis: CHECK_MILLIS })
  const wallets = new Set(players.map((player) => player.wallet.address))
  const vaults = new Set(players.flatMap(({ vault }) => vault?.address ?? []))
  const coSigner = await readCoSigner(stack)
  const [{ landed, failed }, product, lamports] = await Promise.all([
    readLanded(chain, [...wallets, ...vaults, coSigner]),
    readProduct(players),
    readLamports(chain, [...wallets, ...vaults, stack.feeWallet]),
  ])
  const startingLamports = BigInt(STARTING_LAMPORTS)
  const outcome = {
    landed,
    failed,
    lamports,
    startingLamports,
    rolledBack: stack.proxy.rolledBack,
    forked: await readGone(chain, stack.chain.forked),
    journal,
    product,
    wallets,
    vaults,
    coSigner,
    feeWallet: stack.feeWallet,
  }
  const checkouts = await readCheckouts(shop.api)
  const aboutServers = [
    ...(await checkServersFigures(
      stack.servers.map(({ url }) => url),
      product,
    )),
    ...(await checkAudit(stack)),
    ...(await auditPublicly(stack)),
    ...checkForCrashes(stack),
    ...checkForInternalErrors([...players.map(({ api }) => api), shop.api, ...others]),
  ]
  return { product, checkouts, violations: [...checkOutcome(outcome), ...checkCheckouts(checkouts, product, journal), ...aboutServers] }
}

function reportProgress(stack: Stack, { journal }: Run, say: (line: string) => void) {
  const lag = openReconciliationLag(stack.database.url)
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
