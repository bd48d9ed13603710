import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { lamports } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { createApp } from '../../../src/app/app.ts'
import { createRelay } from '../../../src/chain/client/relay.ts'
import { recover } from '../../../src/command/recover.ts'
import { connectDatabase } from '../../../src/database/connect.ts'
import { createListing, removeListing } from '../../../src/listings/change-listings.ts'
import { findCandidates } from '../../../src/market/market-store.ts'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { createReconciliation } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { readConfig } from '../../../src/config.ts'
import { continueRecovery } from '../../../src/studio/recovery/continue-recovery.ts'
import { outcomeOf } from '../../../src/studio/recovery/recovery.ts'
import { findRecovery, insertRecovery } from '../../../src/studio/recovery/recovery-store.ts'
import { findOpenRewind, insertRewind } from '../../../src/studio/recovery/rewind-store.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { useTradingWorld, type TradingWorld, type Wallet, waiting } from '../../purchases/trading-world.ts'

const studioApiKey = 's'.repeat(32)
const migrationsFolder = new URL('../../../migrations', import.meta.url).pathname
const SELLERS = 8
const BUYERS = 20
const PURCHASES_EACH = 10
const LOST = BUYERS * PURCHASES_EACH

/** Of this file alone: a recovery finds what any market on this chain paid to its fee wallet. */
const studio = { address: base58.encode(randomBytes(32)) as Wallet['address'] }
const world = useTradingWorld({ fee: { basisPoints: 250, wallet: studio.address }, holdSeconds: 600 })
let sellers: Wallet[]
let buyers: Wallet[]
let backup: string
/** Settled before the backup; held then, and paid afterwards. */
let known: { settled: string; paidLater: string }
/** By a wallet that lists for the first time after the backup. */
let newcomer: Wallet

/** A server on this database. */
async function serve(on: TradingWorld) {
  const { deps, chain } = on
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0, fee: deps.settings.fee },
    jwtSecret: 'j'.repeat(32),
    referenceSecrets: [on.referenceSecret],
    studioApiKey,
    connection: on.connection,
    chain,
    relay: createRelay(chain.pool, { demo: false }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  const send = async ({ method, path, body }: { method: string; path: string; body?: unknown }): Promise<unknown> => {
    const reply = await fetch(`${app.fastify.listeningOrigin}/api/studio${path}`, {
      method,
      headers: { authorization: `Bearer ${studioApiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(await reply.text())
    return reply.json()
  }
  return { send, stop: () => app.stop() }
}

async function pay(buyer: Wallet, purchase: Purchase) {
  await world.submit(buyer, purchase, await world.signTransfers(buyer, purchase, studio))
}

async function buy(buyer: Wallet, listingId: string): Promise<string> {
  const purchase = await world.hold(buyer, listingId)
  await pay(buyer, purchase)
  await vi.waitFor(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' }), waiting)
  return purchase.purchaseId
}

/** What `pg_dump` and a restore would make: another database of the cluster, with what this one has now. */
async function backUp(): Promise<string> {
  const name = `backup_${randomBytes(8).toString('hex')}`
  const source = new URL(world.databaseUrl).pathname.slice(1)
  const copy = async () => {
    // Nobody may be connected to what is copied.
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${source}'`)
    await administer(`create database ${name} template ${source}`)
  }
  await vi.waitFor(copy, waiting)
  return name
}

beforeAll(async () => {
  ;[newcomer, ...sellers] = (await Promise.all(Array.from({ length: SELLERS + 1 }, () => world.createWallet()))) as [Wallet, ...Wallet[]]
  buyers = await Promise.all(Array.from({ length: BUYERS }, () => world.createWallet({ sol: 100_000_000_000n })))
  await (await serve(world)).stop()

  const stop = createReconciliation(world.deps).start()
  const listings: string[] = []
  for (let index = 0; index < LOST + 2; index++) listings.push(await world.list(sellers[index % SELLERS], { amount: 2 }))
  const settled = await buy(buyers[0]!, listings.pop()!)
  const held = await world.hold(buyers[1]!, listings.pop()!)
  backup = await backUp()

  await pay(buyers[1]!, held)
  known = { settled, paidLater: held.purchaseId }
  listings[0] = await world.list(newcomer, { amount: 2 })
  await Promise.all(
    buyers.map(async (buyer, index) => {
      for (const listingId of listings.slice(index * PURCHASES_EACH, (index + 1) * PURCHASES_EACH)) await buy(buyer, listingId)
    }),
  )
  await stop()
}, 120_000)

afterAll(() => administer(`drop database ${backup} with (force)`))

/** The same market on the database as it was when the backup was made. */
async function restore(): Promise<TradingWorld> {
  const { url, drop } = await freshDatabase(backup)
  const connection = connectDatabase(url, () => undefined)
  onTestFinished(async () => {
    await connection.close()
    await drop()
  })
  const { database } = connection
  return world.seenWith({ connection, databaseUrl: url, deps: { ...world.deps, database } })
}

async function beginRecovery({ database }: TradingWorld): Promise<string> {
  return database.transaction().execute(async (tx) => {
    await insertRewind(tx, 'asked', undefined)
    // That nothing can land any more is another test's concern.
    await tx.updateTable('rewinds').set({ expiryHeight: 0n }).execute()
    return (await insertRecovery(tx, (await findOpenRewind(tx))!.id, undefined))!
  })
}

async function administer(sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('adminUrl') })
  await admin.connect()
  try {
    await admin.query(sql)
  } finally {
    await admin.end()
  }
}

describe('a database that is 200 purchases old', { timeout: 120_000 }, () => {
  it('is paused until the chain has told what is missing, and sells nothing that was sold', async () => {
    const restored = await restore()
    const server = await serve(restored)
    onTestFinished(server.stop)
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const run = (...typed: string[]) => recover(typed, { send: server.send, isAway: () => false })
    const buyer = buyers[2]!
    const seller = sellers[1]!
    const offer = { tokenType: 'APPLE_JUICE', amount: 1, priceLamports: lamports(world.nextPrice()), divisible: false } as const
    const listing = async ({ address }: Wallet) => {
      const active = restored.database.selectFrom('listings').select('id').where('seller', '=', address).where('status', '=', 'active')
      return (await active.limit(1).executeTakeFirstOrThrow()).id
    }
    const sold = await listing(seller)

    expect(await server.send({ method: 'GET', path: '/pause' })).toMatchObject({ pause: { actor: 'juicebar' } })
    await expect(restored.hold(buyer, sold)).rejects.toMatchObject({ code: 'PAUSED' })
    await expect(createListing(restored.database, seller.address, offer)).rejects.toMatchObject({ code: 'PAUSED' })
    // The studio's own pause does not open it.
    await server.send({ method: 'PUT', path: '/pause', body: { message: 'Back soon.' } })
    expect(await server.send({ method: 'DELETE', path: '/pause' })).toMatchObject({ pause: { actor: 'juicebar' } })

    // Nothing that was signed before can land any more.
    await world.mine(200)
    expect(await run()).toBe(1)
    await expect(restored.hold(buyer, sold)).rejects.toMatchObject({ code: 'PAUSED' })
    const lost = await restored.database
      .selectFrom('cases')
      .innerJoin('players', 'players.walletAddress', 'cases.buyer')
      .select(['cases.seller', 'cases.signature', 'cases.lamports', 'cases.feeLamports'])
      .where('kind', '=', 'lost')
      .execute()
    const paid = await world.database
      .selectFrom('purchases')
      .select(['sellers', 'signature', 'priceLamports', 'feeLamports'])
      .where('status', '=', 'settled')
      .where('id', 'not in', [known.settled, known.paidLater])
      .execute()
    expect(lost).toHaveLength(LOST)
    const found = lost.map((each) => `${each.seller} ${each.signature} ${each.lamports} ${each.feeLamports}`)
    const expected = paid.map((each) => `${each.sellers[0]} ${each.signature} ${each.priceLamports} ${each.feeLamports}`)
    expect(new Set(found)).toEqual(new Set(expected))
    // Whoever lists for the first time after the backup is found by the fee.
    expect(lost.filter((each) => each.seller === newcomer.address)).toHaveLength(1)
    const unknown = { kind: 'lost', purchaseId: null, amount: null, refundable: true }
    expect((await restored.casesOf(newcomer))[0]).toMatchObject(unknown)

    expect(await run()).toBe(0)
    expect(await server.send({ method: 'GET', path: '/pause' })).toEqual({ pause: null })
    await restored.untilStatus({ purchaseId: known.paidLater }, 'settled')

    await expect(restored.hold(buyer, sold)).rejects.toMatchObject({ code: 'LISTING_FROZEN' })
    await expect(removeListing(restored.database, seller.address, sold)).rejects.toMatchObject({ code: 'LISTING_FROZEN' })
    const wanted = { tokenType: 'APPLE_JUICE', amount: 100, excludeSeller: undefined } as const
    expect(await findCandidates(restored.connection.readPool, wanted, 20)).toEqual([])
    for (const { caseId } of await restored.casesOf(seller)) {
      await server.send({ method: 'POST', path: '/cases', body: { caseId, note: 'Compensated.' } })
    }
    await restored.hold(buyer, sold)
    await expect(restored.hold(buyer, await listing(sellers[2]!))).rejects.toMatchObject({ code: 'LISTING_FROZEN' })
    await restored.expectAllAddsUp()
  })

  it('stays paused with another REFERENCE_SECRET, which recognises nothing', async () => {
    const restored = await restore()
    const id = await beginRecovery(restored)
    const references = createReferences(['f'.repeat(32)])
    const work = () => continueRecovery({ ...restored.deps, references }, { signal: AbortSignal.timeout(waiting.timeout) })
    for (let going = true; going;) going = await work()
    const done = (await findRecovery(restored.database, id))!
    expect(done).toMatchObject({ casesOpened: 0, uncheckedCount: 1, isPaused: true })
    expect(outcomeOf(done)).toBe('unchecked')
    expect(done.unchecked).toEqual([expect.stringContaining('REFERENCE_SECRET')])
  })

  it('is recovered by another server where one was killed', async () => {
    const restored = await restore()
    const id = await beginRecovery(restored)
    const portions = { wallets: 2, transactions: 16 }
    const progress: number[] = []
    // Each is stopped after a step or two, in whatever part it is.
    for (let recovery = await findRecovery(restored.database, id); recovery?.finishedAt === null;) {
      const killed = new AbortController()
      const work = continueRecovery(restored.deps, { signal: killed.signal, portions })
      const before = recovery.walletsListed + recovery.transactionsRead
      const hasGoneOn = async () => {
        const { finishedAt, part, walletsListed, transactionsRead } = (recovery = await findRecovery(restored.database, id))!
        return finishedAt !== null || part === 'waiting' || walletsListed + transactionsRead > before
      }
      await expect.poll(hasGoneOn, waiting).toBe(true)
      killed.abort()
      await work
      recovery = await findRecovery(restored.database, id)
      progress.push(recovery!.walletsListed + recovery!.transactionsRead)
    }
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.length).toBeGreaterThan(4)
    const { count } = await restored.database
      .selectFrom('cases')
      .select((query) => query.fn.countAll<bigint>().as('count'))
      .where('kind', '=', 'lost')
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(LOST)
  })
})
