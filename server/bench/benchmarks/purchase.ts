import type pg from 'pg'
import { pino } from 'pino'
import { catalogue } from '../databases/catalogue.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase/purchase-deps.ts'
import { createCoSigners } from '../../src/purchases/purchase/co-signer.ts'
import { createReferences } from '../../src/purchases/purchase/reference.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { readSession } from '../../src/sign-in/verify-signature.ts'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { randomWallet } from '../databases/fill-market.ts'
import { addWantedListings, readSignatures, type WantedListing } from '../databases/held-purchases.ts'
import { asMillis, compare, type Line, runConcurrently, type Sample } from '../measure/comparison.ts'
import { countStatements } from '../measure/count-statements.ts'
import { postgresCpu, processCpu } from '../measure/cpu.ts'
import { runLoad } from '../measure/http-load.ts'
import { JWT_SECRET } from '../servers/product-server.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'
import { createStubChain, STUB_GENESIS, stubSignature } from '../servers/stub-chain.ts'

const PURCHASES = 1_000
const CONNECTIONS = 16
const BYTES = Buffer.alloc(220)
/** The session, the facts, and a transaction that locks and reads again, and writes. */
const MOST_STATEMENTS = { buy: 6, confirm: 3 }
/** HTTP, the session, the decision and the checks of the payment cost as much again as the statements that do the work. */
const MOST_CPU_RATIO = 2

/** Buying and confirming, with a stub for the chain: statements, and CPU time of server and database for a pair of calls over HTTP. */
export async function benchmarkPurchase(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const { pool: guarded, database, close } = connectDatabase(url, () => undefined)
  const pool = guarded.pg
  const log = pino({ level: 'silent' })
  const deps: PurchaseDeps = {
    database,
    chain: createStubChain(pool),
    catalogue,
    settings: {
      settleAt: 'confirmed',
      holdSeconds: 600,
      networkHolds: 10,
      fee: { basisPoints: 0, wallet: undefined },
      coSign: true,
      walletSends: 'any',
    },
    references: createReferences(['r'.repeat(32)]),
    coSigners: createCoSigners(['r'.repeat(32)]),
    log,
    failures: createFailureLog(log),
  }
  const product = await startServer({ role: 'product', databaseUrl: url })
  try {
    return [...(await countPurchase(pool, deps)), await measureCpu(product, pool, pairs)]
  } finally {
    product.stop()
    await close()
  }
}

/** What one call of each kind sends to the database, the check of the session included. */
async function countPurchase(pool: pg.Pool, deps: PurchaseDeps): Promise<Line[]> {
  const [{ listingId, buyer } = noListing()] = await addWantedListings(pool, 1)
  const jwts = createSessionJwts(JWT_SECRET)
  const signedIn = () => readSession(deps.database, jwts, buyer.jwt)
  const order = { items: [{ listingId }], buyer: buyer.wallet, paysTransfers: false } as const
  const buy = await countStatements(async () => [await signedIn(), await placeHold(deps, order)])
  const signature = (await readSignatures(pool)).get(listingId) ?? noListing()
  await deps.chain.transaction(signature)
  const confirm = await countStatements(async () => [await signedIn(), await confirmPurchase(deps, buyer.wallet, { listingId }, signature)])
  const line = (name: string, ours: number, theirs: number): Line => {
    return { name, reference: 'allowed', ours, theirs, unit: '', ratio: ours / theirs, goal: { most: 1 }, p50: NaN, p99: NaN }
  }
  return [line('statements of buying', buy, MOST_STATEMENTS.buy), line('statements of confirming', confirm, MOST_STATEMENTS.confirm)]
}

/** CPU milliseconds of server and database for one purchase, compared with a client that sends the same SQL and nothing else. */
async function measureCpu(product: ServerProcess, pool: pg.Pool, pairs: number): Promise<Line> {
  const perCpuSecond = async (pid: number, work: (wanted: WantedListing[]) => Promise<number[]>): Promise<Sample> => {
    const cpu = async () => (await processCpu(pid)) + (await postgresCpu(pool))
    const wanted = await addWantedListings(pool, PURCHASES)
    const before = await cpu()
    const millis = await work(wanted)
    return { perSecond: (1000 * PURCHASES) / ((await cpu()) - before), millis }
  }
  const line = await compare(
    {
      name: 'CPU of buying and confirming, over HTTP',
      reference: 'bare pg loop, same SQL',
      unit: 'ms',
      goal: { most: MOST_CPU_RATIO },
      ours: () => perCpuSecond(product.pid, (wanted) => buyOverHttp(product.port, pool, wanted)),
      theirs: () => perCpuSecond(process.pid, (wanted) => buyFromLoop(pool, wanted)),
    },
    pairs,
  )
  return asMillis(line)
}

async function buyOverHttp(port: number, pool: pg.Pool, wanted: readonly WantedListing[]): Promise<number[]> {
  const load = { port, connections: CONNECTIONS, requests: wanted.length }
  const held = await runLoad({
    ...load,
    next: (turn) => {
      const { listingId, buyer } = wanted[turn] ?? noListing()
      return { method: 'POST', path: `/api/marketplace/buy/${listingId}`, jwt: buyer.jwt }
    },
  })
  const signatures = await readSignatures(pool)
  const confirmed = await runLoad({
    ...load,
    next: (turn) => {
      const { listingId, buyer } = wanted[turn] ?? noListing()
      const body = { listingId, transactionSignature: signatures.get(listingId) }
      return { method: 'POST', path: '/api/marketplace/confirm-purchase', jwt: buyer.jwt, body }
    },
  })
  return [...held.millis, ...confirmed.millis]
}

async function buyFromLoop(pool: pg.Pool, wanted: readonly WantedListing[]): Promise<number[]> {
  const { millis } = await runConcurrently(wanted.length, CONNECTIONS, async (turn) => {
    const { listingId, buyer } = wanted[turn] ?? noListing()
    const reference = randomWallet()
    await pool.query({ name: 'facts', text: FACTS, values: [buyer.wallet, listingId] })
    const id = await holdInTransaction(pool, [buyer.wallet, listingId, reference, STUB_GENESIS])
    await pool.query({ name: 'settle', text: SETTLE, values: [id, stubSignature(reference), BYTES] })
  })
  return millis
}

/** Holds one listing as a whole, paid through the server, in a market without a fee. */
async function holdInTransaction(pool: pg.Pool, values: readonly string[]): Promise<string | undefined> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({ name: 'lock', text: LOCK, values: values.slice(0, 2) })
    const { rows } = await client.query<{ id: string }>({ name: 'hold', text: HOLD, values: [...values] })
    await client.query('commit')
    return rows[0]?.id
  } finally {
    client.release()
  }
}

const FACTS = 'select reservation_facts($1, array[$2]::uuid[])'
const LOCK = 'select facts from lock_reservation_facts($1, array[$2]::uuid[], false)'
const HOLD = `
  select (purchase).id from listings l cross join lateral write_hold(
    $1, array[l.seller], l.price_lamports, 0, 0, null, $3, false, $4, 1, 600, null, array[l.id], array[l.amount], array[l.price_lamports]
  ) where l.id = $2`
const SETTLE = 'select outcome from settle_purchase($1, $2, 10, $3, 160, true)'

function noListing(): never {
  throw new Error('the bench ran out of listings')
}
