import { lamports } from '@juicebar/contract/money'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createListing, removeListing } from '../../src/listings/change-listings.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { readPause, recordPause, recordResumption } from '../../src/studio/record-restrictions.ts'
import { orderOf, useTradingWorld, waiting } from '../purchases/trading-world.ts'

const message = 'We clean the glasses for $& minutes.'
const actor = 'test'

const world = useTradingWorld()
afterEach(() => resume())
const pause = () => recordPause(world.database, { message, actor })
const resume = () => recordResumption(world.database, { actor })
const paused = expect.objectContaining({ code: 'PAUSED', message: `Buying and selling are paused: ${message}` })

async function countOpen(): Promise<number> {
  const { rows } = await world.connection.pool.query<{ open: bigint }>(`select count(*) as open from purchases where status = 'held'`)
  return Number(rows[0]?.open)
}

/** Runs `work` while nobody can write to a table. Resolves when a statement waits to. */
async function blockWrites(table: string, work: () => unknown): Promise<() => Promise<void>> {
  const client = await world.connection.pool.connect()
  await client.query(`begin; lock table ${table} in share row exclusive mode`)
  work()
  const isWaiting = 'select from pg_locks where not granted and relation = $1::regclass'
  await vi.waitFor(async () => expect((await world.connection.readPool.query(isWaiting, [table])).rowCount).toBe(1), waiting)
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

describe('while the market is paused', () => {
  it('nothing can be listed or held, one item or several, and all is well afterwards', async () => {
    const [one, two] = [await world.list(), await world.list()]
    await pause()
    await expect(world.list()).rejects.toEqual(paused)
    await expect(world.hold(world.buyer, one)).rejects.toEqual(paused)
    await expect(world.holdItems(world.buyer, [{ listingId: one }, { listingId: two }])).rejects.toEqual(paused)
    await resume()
    await world.cancel(world.buyer, await world.hold(world.buyer, one))
  })

  it('listings can be removed, and who has a hold can ask for it again, or cancel it', async () => {
    const [held, other] = [await world.list(), await world.list()]
    const purchase = await world.hold(world.buyer, held)
    await pause()
    await expect(removeListing(world.database, world.seller.address, other)).resolves.toMatchObject({ status: 'removed' })
    await expect(world.hold(world.buyer, held)).resolves.toMatchObject({ purchaseId: purchase.purchaseId })
    await world.cancel(world.buyer, purchase)
    expect((await world.read(purchase.purchaseId)).status).toBe('ended')
  })

  it('a listing that was created before is returned for its idempotency key', async () => {
    const draft = { tokenType: 'APPLE_JUICE', amount: 1, priceLamports: lamports(1_000_000n), divisible: false } as const
    const create = () => createListing(world.database, world.seller.address, draft, { idempotencyKey: 'once' })
    const listing = await create()
    await pause()
    await expect(create()).resolves.toEqual(listing)
  })
})

it('a pause keeps its beginning when its message changes, and is in the log', async () => {
  const { since } = await pause()
  expect(await recordPause(world.database, { message: 'Longer.', actor: 'other' })).toEqual({ message: 'Longer.', actor: 'other', since })
  await resume()
  expect(await readPause(world.database)).toBeNull()
  const { rows } = await world.connection.pool.query('select actor, call, subject, reason from studio_log order by id desc limit 3')
  expect(rows.toReversed()).toEqual([
    { actor, call: 'pauseMarket', subject: 'market', reason: message },
    { actor: 'other', call: 'pauseMarket', subject: 'market', reason: 'Longer.' },
    { actor, call: 'resumeMarket', subject: 'market', reason: null },
  ])
})

describe('a pause is answered', () => {
  /** Pauses the market while `work` cannot write to a table. Returns how many rows `count` finds once the pause is answered. */
  async function pauseDuring(table: string, work: () => Promise<unknown>, count: string): Promise<number | null> {
    let working: Promise<unknown> = Promise.resolve()
    const letWrite = await blockWrites(table, () => {
      working = work()
    })
    const reply = pause().then(async () => (await world.connection.readPool.query(count)).rowCount)
    await untilPausing()
    await letWrite()
    const [found] = await Promise.all([reply, working])
    return found
  }

  /** The pause waits, or has been answered too soon. */
  async function untilPausing(): Promise<void> {
    const waits = `select from pg_locks where locktype = 'advisory' and not granted`
    await vi.waitFor(async () => {
      const { rowCount } = await world.connection.readPool.query(waits)
      expect(rowCount === 1 || (await readPause(world.database)) !== null).toBe(true)
    }, waiting)
  }

  it('after what was about to be held is held', async () => {
    const items = [{ listingId: await world.list() }]
    const held = `select from purchases where status = 'held' and buyer = '${world.buyer.address}'`
    let purchaseId = ''
    const hold = async () => ({ id: purchaseId } = await placeHold(world.deps, orderOf(world.buyer, items)))
    expect(await pauseDuring('purchase_items', hold, held)).toBe(1)
    await world.cancel(world.buyer, { purchaseId })
  })

  it('after what was about to be listed is listed', async () => {
    const listed = `select from listings where seller = '${world.rival.address}'`
    expect(await pauseDuring('transfers', () => world.list(world.rival), listed)).toBe(1)
  })

  it('and nothing is held after it, however many hold at the same time', async () => {
    const buyers = await Promise.all(Array.from({ length: 17 }, () => world.createWallet()))
    const orders = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => ({ buyer: buyers[n % 17]!, listingId: await world.list(world.seller, { amount: 1 }) })),
    )
    const holding = Promise.allSettled(orders.map((order) => world.hold(order.buyer, order.listingId)))
    // Some are held before, so that the pause comes in the middle.
    await vi.waitFor(async () => expect(await countOpen()).toBeGreaterThan(0), { ...waiting, interval: 1 })
    await pause()
    const open = await countOpen()
    const outcomes = await holding
    expect(await countOpen()).toBe(open)
    const held = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(held).toHaveLength(open)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(refused).toEqual(refused.map(() => paused))
    await Promise.all(
      held.map((purchase) =>
        world.cancel(
          buyers.find(({ address }) => address === purchase.buyer)!,
          purchase,
        ),
      ),
    )
  })
})

it('a pause in the middle of 50 open payments delivers them all', async () => {
  const buyers = await Promise.all(Array.from({ length: 17 }, () => world.createWallet()))
  const purchases = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const wallet = buyers[n % 17]!
      const purchase = await world.hold(wallet, await world.list(world.seller, { amount: 1 }))
      return { wallet, purchase, payment: await world.signPayment(wallet, purchase) }
    }),
  )
  const submissions = purchases.map(async ({ wallet, purchase, payment }, n) => {
    if (n === 25) await pause()
    await world.submit(wallet, purchase, payment)
  })
  await Promise.all(submissions)
  await world.reconcileUntil(async () => expect(await countOpen()).toBe(0))
  expect(await readPause(world.database)).not.toBeNull()
  const replies = await Promise.all(purchases.map(({ purchase }) => world.read(purchase.purchaseId)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 'settled'))
  const juice = await Promise.all(buyers.map((wallet) => world.appleJuice(wallet)))
  expect(juice.reduce((sum, amount) => sum + amount, 0)).toBe(17 * 1_000 + 50)
}, 120_000)
