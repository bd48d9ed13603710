import type pg from 'pg'

import { connectDatabase, type Database } from '../../src/database/connect.ts'
import { settlePurchase } from '../../src/purchases/settlement/settlement-store.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { runLoad } from '../measure/http-load.ts'
import { compare, type Line, runLanes, type Sample } from '../measure/comparison.ts'
import { findPgbench, type Pgbench } from '../measure/pgbench.ts'
import { startProcess } from '../servers/start-server.ts'
import { addHeldLots, type HeldLot } from '../databases/held-purchases.ts'

const LOTS = 1_000
const LANES = 16
/** A server with waiting callers at all times: each call waits for several round trips. */
const HTTP_CONNECTIONS = 48
const MANY_SELLERS = 1_000
const BYTES = Buffer.alloc(220)

/** Paid purchases on their way to delivered tokens: from Node, from a hot seller, and over HTTP with the chain stubbed at its port. */
export async function settlementLines(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const { pool, database, close } = connectDatabase(url, () => undefined)
  const product = await startProcess({ role: 'product', databaseUrl: url })
  const prepare = (sellers: number) => addHeldLots(pool, LOTS, sellers)

  const direct = async (): Promise<Sample> => {
    const lots = await prepare(MANY_SELLERS)
    return runLanes(LOTS, LANES, async (turn) => {
      const lot = at(lots, turn)
      await pool.query({ name: 'settle', text: SETTLE, values: [lot.purchaseId, lot.signature, 10n, BYTES, 160n, true] })
    })
  }
  const fromNode = async (sellers: number) => {
    const lots = await prepare(sellers)
    return runLanes(LOTS, LANES, (turn) => settle(database, at(lots, turn)))
  }
  const pgbench = await findPgbench()
  const byPgbench = async (reference: Pgbench): Promise<Sample> => {
    await writeDown(pool, await prepare(MANY_SELLERS))
    return reference.run({ url }, [SETTLE_NEXT], LANES, { transactions: LOTS })
  }
  const overHttp = async (): Promise<Sample> => {
    const lots = await prepare(MANY_SELLERS)
    return runLoad({
      port: product.port,
      connections: HTTP_CONNECTIONS,
      requests: LOTS,
      next: (turn) => {
        const { listingId, signature, token } = at(lots, turn)
        return { method: 'POST', path: '/api/marketplace/confirm-purchase', token, body: { listingId, transactionSignature: signature } }
      },
    })
  }

  const contest = { reference: 'bare pg loop, same SQL', unit: '/s', theirs: direct }
  const node = { ...contest, name: 'settlement, from Node', goal: { least: 0.85 }, ours: () => fromNode(MANY_SELLERS) }
  try {
    return [
      await compare(node, pairs),
      ...(pgbench ? [await compare({ ...node, reference: 'pgbench, same SQL', theirs: () => byPgbench(pgbench) }, pairs)] : []),
      await compare({ ...contest, name: 'settlement over HTTP, chain stubbed', goal: { least: 0.6 }, ours: overHttp }, pairs),
      await compare(
        {
          name: 'settlement, one hot seller',
          reference: '1,000 sellers',
          unit: '/s',
          goal: { least: 0.8 },
          ours: () => fromNode(1),
          theirs: () => fromNode(MANY_SELLERS),
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

/** The same for pgbench, which takes its purchases from a table. */
const SETTLE_NEXT = `select settle_purchase(purchase, signature, 10, bytes, 160, true) from to_settle where n = (select nextval('settled'));`

async function writeDown(pool: pg.Pool, lots: HeldLot[]): Promise<void> {
  await pool.query('drop table if exists to_settle; drop sequence if exists settled; create sequence settled')
  await pool.query('create table to_settle (n bigint primary key, purchase uuid, signature text, bytes bytea)')
  await pool.query(
    'insert into to_settle select n, purchase, signature, $3 from unnest($1::uuid[], $2::text[]) with ordinality u(purchase, signature, n)',
    [lots.map((lot) => lot.purchaseId), lots.map((lot) => lot.signature), BYTES],
  )
}

async function settle(database: Database, { purchaseId, signature }: HeldLot): Promise<void> {
  const outcome = await settlePurchase(database, purchaseId, {
    signature,
    slot: 10n,
    transactionBytes: BYTES,
    expiryHeight: 160n,
    referenced: true,
  })
  if (outcome !== 'settled') throw new Error(`a purchase of the bench ended as ${outcome}`)
}

function at(lots: HeldLot[], turn: number): HeldLot {
  const lot = lots[turn]
  if (!lot) throw new Error('the bench ran out of purchases')
  return lot
}
