import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { createApiClient } from './players/api-client.ts'
import { runBuyer } from './players/buyer.ts'
import { createChainClient } from './players/chain-client.ts'
import { inParallel, readAccepted } from './checks/chain-record.ts'
import { checkOutcome } from './checks/check-outcome.ts'
import { type Confirmations, watchConfirmations } from './checks/confirmation-times.ts'
import { disturb } from './stack/outages.ts'
import { type FaultRates } from './chain-faults/fault-proxy.ts'
import { createJournal } from './players/journal.ts'
import { canCallFrom, loopbackAddress } from './players/loopback-address.ts'
import { type ProductRecord, readProduct } from './checks/product-record.ts'
import { type ChaosReport, type Delivery, summarise } from './report.ts'
import { runSeller, STOCK, tokens } from './players/seller.ts'
import { openShopWindow } from './players/listing-poller.ts'
import { type Stack, startStack } from './stack/stack.ts'
import { enterTrader, type Run, STARTING_LAMPORTS, type Trader } from './players/player.ts'

export interface ChaosOptions {
  /** Decides who does what, what goes wrong, and when. */
  seed: number
  /** The run ends with so many holds given to buyers, or when its time is over. */
  purchases: number
  minutes: number
  buyers: number
  sellers: number
  /** Attempts at a lot in a second, at most. */
  perSecond: number
  /** Between two kills or standstills, on average. */
  disturbMillis: number
  /** Keeps the servers' logs in any case. */
  keepLogs: boolean
  say(line: string): void
}

const SLOT_MILLIS = 50
const HOLD_SECONDS = 5
const LOTS_A_SELLER = 6
const SAY_MILLIS = 10_000
/** Ends of holds, refunds and late payments, the last of which are looked for a minute after the end of their hold. */
const FINISH_MILLIS = 240_000
/** It asks the chain for every settled purchase's payment. */
const AUDIT_MILLIS = 600_000

const RATES: FaultRates = {
  calls: { dropped: 0.003, delayed: 0.01, limited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.01 },
  methods: {
    sendTransaction: { dropped: 0.03, delayed: 0.05, failed: 0.01, lostReply: 0.06 },
    getSignatureStatuses: { dropped: 0.003, delayed: 0.02, limited: 0.0004, failed: 0.002, lostReply: 0.003, stale: 0.05 },
  },
  transactions: { vanished: 0.04, rolledBack: 0.005 },
}

/** Lets players trade on the real stack while everything around them breaks, then checks that nothing was lost. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say } = options
  const startedAt = performance.now()
  say('building and starting the stack')
  const stack = await startStack({ seed, rates: RATES, slotMillis: SLOT_MILLIS, holdSeconds: HOLD_SECONDS })
  let keepLogs = true
  try {
    const report = await trade(options, stack, startedAt)
    keepLogs = options.keepLogs || report.violations.length > 0
    if (keepLogs) say(`the servers' logs are kept in ${stack.folder}`)
    return report
  } finally {
    await stack.stop({ keepLogs })
  }
}

async function trade(options: ChaosOptions, stack: Stack, startedAt: number): Promise<ChaosReport> {
  const { seed, say } = options
  const chain = createChainClient(stack.chain.rpcUrl)
  const closing = new AbortController()
  const run: Run = { seed, chain, journal: createJournal(), closing: closing.signal }
  const { buyers, sellers } = await enterEverybody(run, stack, options)
  const confirmations = watchConfirmations(chain, run.journal)
  const urls = stack.nodes.map((node) => node.url)
  const shop = openShopWindow(createApiClient({ urls, localAddress: undefined }))

  const tradingFrom = performance.now()
  const timeOver = setTimeout(() => closing.abort(), options.minutes * 60_000)
  const disturber = disturb(stack, seed, options.disturbMillis, say)
  const backlog = watchBacklog(stack.databaseUrl)
  const telling = setInterval(() => void backlog.oldestSeconds().then((seconds) => say(progress(run, stack, seconds))), SAY_MILLIS)
  const selling = sellers.map((seller) => runSeller(run, seller, LOTS_A_SELLER))
  const nextTurn = createTurns(run, options)
  await Promise.all(buyers.map((buyer) => runBuyer(run, buyer, shop, nextTurn)))
  const tradingSeconds = (performance.now() - tradingFrom) / 1000

  say('the buyers are done; faults end, and the watchers get time to finish')
  closing.abort()
  clearTimeout(timeOver)
  await disturber.stop()
  stack.proxy.calm()
  await Promise.all([...selling, shop.stop()])
  await untilQuiet(stack, run, confirmations)
  clearInterval(telling)
  await Promise.all([confirmations.stop(), backlog.stop()])

  say('checking every payment, lamport and token')
  const traders = [...buyers, ...sellers]
  const wallets = new Set(traders.map((trader) => trader.wallet.address))
  const [accepted, product, lamports] = await Promise.all([
    readAccepted(chain, [...wallets]),
    readProduct(traders),
    readLamports(chain, [...wallets]),
  ])
  const evidence = {
    chain: accepted,
    lamports,
    startingLamports: BigInt(STARTING_LAMPORTS),
    rolledBack: stack.proxy.rolledBack,
    journal: run.journal,
    product,
    wallets,
  }
  const violations = [...checkOutcome(evidence), ...(await auditOf(stack)), ...crashesOf(stack)]
  for (const trader of traders) trader.api.stop()
  chain.stop()
  return summarise({
    seed,
    journal: run.journal,
    product,
    faults: stack.proxy.counts,
    disturbances: disturber.counts,
    deliveries: deliveryTimes(product, confirmations),
    limited: traders.reduce((sum, trader) => sum + trader.api.limited, 0),
    tradingSeconds,
    seconds: (performance.now() - startedAt) / 1000,
    violations,
  })
}

/** Gives buyers a turn at the pace of the run, until there were enough purchases: a market that drowns shows nothing but that. */
function createTurns({ journal, closing }: Run, { purchases, perSecond }: ChaosOptions): () => Promise<boolean> {
  let next = Date.now()
  return async () => {
    const now = Date.now()
    next = Math.max(next + 1000 / perSecond, now)
    await delay(next - now)
    return !closing.aborted && journal.holds.size < purchases
  }
}

async function enterEverybody(run: Run, stack: Stack, options: ChaosOptions) {
  const urls = stack.nodes.map((node) => node.url)
  const severalAddresses = await canCallFrom(loopbackAddress(1))
  const enter = async (names: string[], from: number) => {
    const traders: Trader[] = []
    await inParallel([...names.entries()], async ([index, name]) => {
      const localAddress = severalAddresses ? loopbackAddress(from + index) : undefined
      traders[index] = await enterTrader(run, name, { urls, localAddress })
    })
    return traders
  }
  const sellers = await enter(numbered('seller', options.sellers), 1)
  const buyers = await enter(numbered('buyer', options.buyers), 1 + options.sellers)
  await inParallel(sellers, (seller) => stockUp(run, stack, seller))
  return { sellers, buyers }
}

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)
}

async function stockUp(run: Run, stack: Stack, seller: Trader): Promise<void> {
  const studio = createApiClient({ urls: stack.nodes.map((node) => node.url), localAddress: undefined, token: stack.studioApiKey })
  const { address: walletAddress } = seller.wallet
  for (const tokenType of tokens) {
    const idempotencyKey = `${seller.name} ${tokenType}`
    const answer = await studio.insist({
      method: 'POST',
      path: '/api/studio/credits',
      body: { walletAddress, tokenType, amount: STOCK, idempotencyKey },
    })
    if (answer?.status !== 200) throw new Error(`the studio's credit failed: ${JSON.stringify(answer)}`)
    run.journal.credits.set(`${walletAddress} ${tokenType}`, STOCK)
  }
  studio.stop()
}

/** Waits until the product has nothing left to do: no hold, no refund on its way, no payment that it has not found. */
async function untilQuiet(stack: Stack, run: Run, confirmations: Confirmations): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl })
  await client.connect()
  try {
    for (const deadline = Date.now() + FINISH_MILLIS; Date.now() < deadline; await delay(500)) {
      if (await isQuiet(client, stack, run, confirmations)) return
    }
  } finally {
    await client.end()
  }
}

async function isQuiet(client: pg.Client, { proxy }: Stack, { journal }: Run, { acceptedAt }: Confirmations): Promise<boolean> {
  const { rows } = await client.query<{ open: boolean; known: string[] }>(`
    select exists (select from purchases where status = 'held')
        or exists (select from cases where status = 'refunding')
        or exists (select from purchases p where status = 'settled' and finalized_at is null
                   and not exists (select from cases c where c.purchase_id = p.id and c.kind = 'vanished')) as open,
      array(select signature from purchases where signature is not null union select signature from cases
            union select signature from payments where status = 'settled') as known`)
  const known = new Set(rows[0]?.known)
  const missing = [...acceptedAt.keys()].filter(
    (signature) => !known.has(signature) && !proxy.rolledBack.has(signature) && journal.payments.has(signature),
  )
  return rows[0]?.open === false && missing.length === 0
}

async function readLamports(chain: ReturnType<typeof createChainClient>, wallets: readonly string[]): Promise<Map<string, bigint>> {
  const lamports = new Map<string, bigint>()
  await inParallel(wallets, async (wallet) => {
    const { value } = await chain.ask<{ value: number }>('getBalance', [wallet, { commitment: 'confirmed' }])
    lamports.set(wallet, BigInt(value))
  })
  return lamports
}

/** The product's own audit has to agree. What the chain took back it cannot verify, and says so. */
async function auditOf({ nodes, studioApiKey }: Stack): Promise<string[]> {
  const urls = nodes.map((node) => node.url)
  const studio = createApiClient({ urls, localAddress: undefined, token: studioApiKey, timeoutMillis: AUDIT_MILLIS })
  const answer = await studio.insist({ method: 'GET', path: '/api/studio/audit' })
  studio.stop()
  if (answer?.status !== 200) return [`the audit was answered with ${JSON.stringify(answer)}`]
  const violations = (answer.body['violations'] as { invariant: string; detail: string }[]).map(
    ({ invariant, detail }) => `audit, ${invariant}: ${detail}`,
  )
  return answer.body['ok'] === true || violations.length > 0 ? violations : ['the audit is not content, and does not say why']
}

function crashesOf({ nodes }: Stack): string[] {
  return nodes.filter((node) => node.crashes > 0).map((node) => `the server at ${node.url} ended by itself ${node.crashes} times`)
}

/** For every payment that was delivered in time: milliseconds from the chain's confirmation to the tokens. */
function deliveryTimes({ purchases, cases }: ProductRecord, { acceptedAt }: Confirmations): Delivery[] {
  const late = new Set([...cases.values()].map((found) => found.signature))
  return [...purchases.values()].flatMap(({ purchaseId, signature, settledAt }) => {
    const confirmedAt = signature === null || late.has(signature) ? undefined : acceptedAt.get(signature)
    return confirmedAt === undefined || settledAt === null ? [] : [{ purchaseId, millis: Math.max(0, Date.parse(settledAt) - confirmedAt) }]
  })
}

/** How late the watchers are with what is due; undefined while the database is down. */
function watchBacklog(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 2_000 })
  pool.on('error', () => undefined)
  const query = `select greatest(0, extract(epoch from now() - min(reconcile_at)))::float8 as seconds from purchases where status = 'held'`
  return {
    oldestSeconds: async () => {
      const reply = await pool.query<{ seconds: number | null }>(query).catch(() => undefined)
      return reply?.rows[0]?.seconds ?? undefined
    },
    stop: () => pool.end(),
  }
}

function progress({ journal }: Run, { proxy }: Stack, lateSeconds: number | undefined): string {
  const late = lateSeconds === undefined ? '' : `, the oldest look at a hold is ${lateSeconds.toFixed(1)} s late`
  const faults = Object.values(proxy.counts).reduce((sum, count) => sum + count, 0)
  return `${journal.holds.size} purchases begun, ${journal.payments.size} payments signed, ${faults} faults injected${late}`
}
