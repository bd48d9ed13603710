import type pg from 'pg'

import { connectDatabase, type Database } from '../../src/database/connect.ts'
import { settlePurchase } from '../../src/purchases/settlement/settlement-store.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { addHeldPurchases, type HeldPurchase } from '../databases/held-purchases.ts'
import { runLoad } from '../measure/http-load.ts'
import { compare, type Line, runConcurrently, type Sample } from '../measure/comparison.ts'
import { findPgbench, type Pgbench } from '../measure/pgbench.ts'
import { startServer } from '../servers/start-server.ts'

const PURCHASES = 1_000
const CONCURRENCY = 16
/** Enough to keep the server busy at all times, since each call waits for several round trips. */
const HTTP_CONNECTIONS = 48
const MANY_SELLERS = 1_000
/** One item of each of the most sellers that a purchase may have. */
const ITEMS = 10
/**
 * Runs over HTTP before anything is measured: V8 goes on compiling a server for some ten thousand calls. The reference has as many behind
 * it by the time that this line is measured.
 */
const WARM_UPS = 12
const BYTES = Buffer.alloc(220)

/** Settlement of paid purchases: from Node.js, from a single seller, and over HTTP with a stub for the chain. */
export async function benchmarkSettlement(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const { pool: guarded, database, close } = connectDatabase(url, () => undefined, { connections: CONCURRENCY })
  const pool = guarded.pg
  const product = await startServer({ role: 'product', databaseUrl: url })
  const prepare = (sellers: number, items = 1) => addHeldPurchases(pool, { count: PURCHASES, sellers, items })

  const direct = async (): Promise<Sample> => {
    const purchases = await prepare(MANY_SELLERS)
    return runConcurrently(PURCHASES, CONCURRENCY, async (turn) => {
      const { purchaseId, signature } = at(purchases, turn)
      await pool.query({ name: 'settle', text: SETTLE, values: [purchaseId, signature, 10n, BYTES, 160n, true] })
    })
  }
  const fromNodeJs = async (sellers: number, items = 1) => {
    const purchases = await prepare(sellers, items)
    return runConcurrently(PURCHASES, CONCURRENCY, (turn) => settle(database, at(purchases, turn)))
  }
  const pgbench = await findPgbench()
  const byPgbench = async (reference: Pgbench): Promise<Sample> => {
    await storeForPgbench(pool, await prepare(MANY_SELLERS))
    return reference.run({ url }, [SETTLE_NEXT], CONCURRENCY, { transactions: PURCHASES })
  }
  const overHttp = async (): Promise<Sample> => {
    const purchases = await prepare(MANY_SELLERS)
    return runLoad({
      port: product.port,
      connections: HTTP_CONNECTIONS,
      requests: PURCHASES,
      next: (turn) => {
        const { listingId, signature, buyer } = at(purchases, turn)
        return {
          method: 'POST',
          path: '/api/marketplace/confirm-purchase',
          jwt: buyer.jwt,
          body: { listingId, transactionSignature: signature },
        }
      },
    })
  }

  const comparison = { reference: 'bare pg loop, same SQL', unit: '/s', theirs: direct }
  const settlement = { ...comparison, name: 'settlement, from Node.js', goal: { least: 0.85 }, ours: () => fromNodeJs(MANY_SELLERS) }
  try {
    for (let run = 0; run < WARM_UPS; run++) await overHttp()
    return [
      await compare(settlement, pairs),
      ...(pgbench ? [await compare({ ...settlement, reference: 'pgbench, same SQL', theirs: () => byPgbench(pgbench) }, pairs)] : []),
      await compare({ ...comparison, name: 'settlement over HTTP, chain stubbed', goal: { least: 0.6 }, ours: overHttp }, pairs),
      await compare(
        {
          name: 'settlement, ten items',
          reference: 'one item',
          unit: '/s',
          goal: { least: 1 / 3 },
          ours: () => fromNodeJs(MANY_SELLERS, ITEMS),
          theirs: () => fromNodeJs(MANY_SELLERS),
        },
        pairs,
      ),
      await compare(
        {
          name: 'settlement, one hot seller',
          reference: '1,000 sellers',
          unit: '/s',
          goal: { least: 0.8 },
          ours: () => fromNodeJs(1),
          theirs: () => fromNodeJs(MANY_SELLERS),
        },
        pairs,
      ),
    ]
  } finally {
    product.stop()
    await close()
  }
}

const SETTLE = 'select settle_purchase($1, $2, $3, $4, $5, $6) as outcome'

/** The same for pgbench, which reads its purchases from a table. */
const SETTLE_NEXT = `select settle_purchase(purchase, signature, 10, bytes, 160, true) from to_settle where n = (select nextval('settled'));`

async function storeForPgbench(pool: pg.Pool, purchases: HeldPurchase[]): Promise<void> {
  await pool.query('drop table if exists to_settle; drop sequence if exists settled; create sequence settled')
  await pool.query('create table to_settle (n bigint primary key, purchase uuid, signature text, bytes bytea)')
  await pool.query(
    'insert into to_settle select n, purchase, signature, $3 from unnest($1::uuid[], $2::text[]) with ordinality u(purchase, signature, n)',
    [purchases.map((purchase) => purchase.purchaseId), purchases.map((purchase) => purchase.signature), BYTES],
  )
}

async function settle(database: Database, { purchaseId, signature }: HeldPurchase): Promise<void> {
  const { outcome } = await settlePurchase(database, purchaseId, {
    signature,
    slot: 10n,
    transactionBytes: BYTES,
    expiryHeight: 160n,
    referenced: true,
  })
  if (outcome !== 'settled') throw new Error(`settling a purchase returned ${outcome}`)
}

function at(purchases: HeldPurchase[], turn: number): HeldPurchase {
  const purchase = purchases[turn]
  if (!purchase) throw new Error('the bench ran out of purchases')
  return purchase
}
