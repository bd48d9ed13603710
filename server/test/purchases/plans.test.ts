import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addHeldPurchases, addWantedListings } from '../../bench/databases/held-purchases.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { inTransaction } from '../../src/database/transact.ts'
import { listOwnListings } from '../../src/listings/listing-store.ts'
import { recordEnd } from '../../src/purchases/hold/hold-store.ts'
import { holdAsRead } from '../../src/purchases/hold/place-hold.ts'
import { reconcileEndedOf } from '../../src/purchases/reconciliation/reconciliation-store.ts'
import { createReferences } from '../../src/purchases/purchase/reference.ts'
import { readFacts } from '../../src/purchases/reservation/facts-store.ts'
import { listPayablePurchases, settlePurchase } from '../../src/purchases/settlement/settlement-store.ts'
import { createWallet } from '../sign-in/wallet.ts'
import { type LongReadsOf, tellPlans, watchPlans } from '../support/executed-plans.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const PURCHASES = 300
/** A purchase has a few relatives of its own: other holds of its buyer, other purchases of its listing. */
const FEW = 10

let fresh: FreshDatabase
let connection: DatabaseConnection
let longReadsOf: LongReadsOf

/** The planner has counted a market in which nothing was held, as it is at night. Then everybody comes at once. */
beforeAll(async () => {
  fresh = await freshDatabase()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  for (const table of ['purchases', 'payments']) await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await tellPlans(client)
  connection = connectDatabase(fresh.url, () => undefined)
  longReadsOf = watchPlans(connection)
  await addHeldPurchases(connection.pool.pg, { count: PURCHASES, sellers: PURCHASES })
  await client.query(`select settle_purchase(id, 'settled ' || id, 1, '', 1, true) from purchases`)
  await client.query('vacuum analyze')
  await addHeldPurchases(connection.pool.pg, { count: PURCHASES, sellers: PURCHASES })
  await client.query(
    `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
     select 'recorded ' || id, 'purchase', id, genesis_hash, '', 1, 'recorded' from purchases where status = 'held'`,
  )
  await client.end()
})
afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

it('buying, confirming and looking at one’s purchases read a few rows, however many listings are held', async () => {
  const { database, pool } = connection
  const [wanted] = await addWantedListings(pool.pg, 1)
  const { listingId, buyer } = { listingId: wanted!.listingId, buyer: wanted!.buyer.wallet }
  const order = { items: [{ listingId }], buyer, paysTransfers: false } as const
  const fee = { basisPoints: 0, wallet: undefined }
  const signature = parseSignature(createWallet().sign('paid'))!
  const deps = { database, references: createReferences(['r'.repeat(32)]), settings: { holdSeconds: 60, walletSends: 'any' } } as const
  const funds = { spendable: 10n ** 15n, networkFee: 5_000n, rentExemptMinimum: 0n, balances: new Map() }

  expect(await longReadsOf(() => readFacts(database, buyer, [listingId]), FEW)).toEqual([])
  const hold = () => holdAsRead(deps, { ...order, kind: 'hold', fee }, { genesisHash: 'x', heldAtSlot: 1n, funds })
  expect(await longReadsOf(hold, FEW)).toEqual([])
  const [payable] = await listPayablePurchases(database, { listingId, buyer, signature })
  expect(await longReadsOf(() => listPayablePurchases(database, { listingId, buyer, signature }), FEW)).toEqual([])
  const payment = { signature, slot: 2n, transactionBytes: Buffer.alloc(1), expiryHeight: 2n, referenced: true }
  expect(await longReadsOf(() => settlePurchase(database, payable!.purchase.id, payment), FEW)).toEqual([])
  expect(await longReadsOf(() => reconcileEndedOf(database, buyer, 30), FEW)).toEqual([])
})

it('neither looking at one’s listings nor ending the hold of a blocked seller reads those of others', async () => {
  const { database, pool } = connection
  // Of fewer, reading all is not slower.
  await addWantedListings(pool.pg, 5_000)
  await pool.pg.query('analyze listings')
  const { rows } = await pool.pg.query<{ id: string; seller: WalletAddress }>(
    `with held as (select id, sellers[1] as seller from purchases where status = 'held' limit 1), blocked as (
       insert into blocks (wallet_address, reason, takes_listings, actor) select seller, 'Cheats', true, 'ops' from held
     ) select * from held`,
  )
  const [{ id, seller }] = rows as [(typeof rows)[number]]
  await pool.pg.query(
    `insert into listings (seller, token_type, amount, price_lamports) select seller, token_type, 10, 1000000 from listings where seller = $1 limit 1`,
    [seller],
  )
  expect(await longReadsOf(() => listOwnListings(database, seller, 'active'), FEW)).toEqual([])
  const end = () => inTransaction(database, (tx) => recordEnd(tx, id, 'released', null))
  expect(await longReadsOf(end, FEW)).toEqual([])
})
