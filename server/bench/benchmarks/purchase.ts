import { type Signature } from '@juicebar/contract/addresses'
import type pg from 'pg'

import { connectDatabase } from '../../src/database/connect.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { addWantedListings, readSignatures, type WantedListing } from '../databases/held-purchases.ts'
import { type Line } from '../measure/comparison.ts'
import { postgresCpu, processCpu } from '../measure/cpu.ts'
import { type Request, runLoad } from '../measure/http-load.ts'
import { type ServerProcess, startServer } from '../servers/start-server.ts'

const PURCHASES = 1_000
const CONNECTIONS = 16

/** Buying and confirming over HTTP, with a stub for the chain: CPU time of server and database for a pair of calls. */
export async function benchmarkPurchase(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  const url = await databases.empty()
  const { pool, close } = connectDatabase(url, () => undefined)
  const product = await startServer({ role: 'product', databaseUrl: url })
  try {
    await buyAndConfirm(product, pool)
    for (let pair = 0; pair < pairs; pair++) {
      const sample = await buyAndConfirm(product, pool)
      console.error(JSON.stringify(sample))
    }
    return []
  } finally {
    product.stop()
    await close()
  }
}

async function buyAndConfirm(product: ServerProcess, pool: pg.Pool) {
  const wanted = await addWantedListings(pool, PURCHASES)
  const buy = ({ listingId, buyer }: WantedListing): Request => ({
    method: 'POST',
    path: `/api/marketplace/buy/${listingId}`,
    jwt: buyer.jwt,
    body: { sendsThrough: 'server' },
  })
  const confirm = ({ listingId, buyer }: WantedListing, signatures: Map<string, Signature>): Request => ({
    method: 'POST',
    path: '/api/marketplace/confirm-purchase',
    jwt: buyer.jwt,
    body: { listingId, transactionSignature: signatures.get(listingId) },
  })
  const held = await measured(product, pool, (turn) => buy(at(wanted, turn)))
  const signatures = await readSignatures(pool)
  const confirmed = await measured(product, pool, (turn) => confirm(at(wanted, turn), signatures))
  return { held, confirmed }
}

async function measured({ port, pid }: ServerProcess, pool: pg.Pool, next: (turn: number) => Request) {
  const [node, database] = [await processCpu(pid), await postgresCpu(pool)]
  const load = await runLoad({ port, connections: CONNECTIONS, requests: PURCHASES, next })
  return {
    perSecond: load.perSecond,
    nodeMillis: ((await processCpu(pid)) - node) / PURCHASES,
    databaseMillis: ((await postgresCpu(pool)) - database) / PURCHASES,
  }
}

function at<T>(list: readonly T[], turn: number): T {
  const item = list[turn]
  if (item === undefined) throw new Error('the bench ran out of listings')
  return item
}
