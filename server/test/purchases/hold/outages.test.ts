import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { recordOutage } from '../../../src/purchases/hold/check-funds.ts'
import { type DuePurchase, setReleaseHeight } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { useTradingWorld } from '../trading-world.ts'

const HOLD_SECONDS = 60

const world = useTradingWorld({ holdSeconds: HOLD_SECONDS })
let listingId: string

beforeEach(async () => {
  listingId = await world.list()
  await world.connection.pool.query('truncate outages, heartbeat')
})

afterAll(() => world.connection.pool.query('truncate outages, heartbeat'))

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await world.connection.pool.query<Row>(text, values)).rows

const placedAgo = new Map<string, number>()

/** A hold that was placed so long ago. */
async function holdPlaced(secondsAgo: number): Promise<Purchase> {
  const { purchaseId } = await world.hold(world.buyer, listingId)
  placedAgo.set(purchaseId, secondsAgo)
  await query(
    `with moved as (
       update purchases set created_at = created_at - make_interval(secs => $2), pay_before = pay_before - make_interval(secs => $2)
       where id = $1 returning id, pay_before
     ) update listings set held_until = pay_before from moved where held_by = moved.id`,
    [purchaseId, secondsAgo],
  )
  return world.read(purchaseId)
}

/** No server has reached database and chain since. */
const silentFor = (seconds: number) =>
  query(
    `insert into heartbeat (beat_at) values (now() - make_interval(secs => $1)) on conflict (only_row) do update set beat_at = excluded.beat_at`,
    [seconds],
  )

/** The outage is over: a server has reached both again. */
async function endOutage(seconds: number): Promise<void> {
  await silentFor(seconds)
  await recordOutage(world.deps)
}

/** From the moment for which the hold was placed, however long the test has taken since. */
async function secondsLeft({ purchaseId }: Purchase): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    'select round(extract(epoch from pay_until(p) - created_at))::int as seconds from purchases p where id = $1',
    [purchaseId],
  )
  return Math.max(0, (row?.seconds ?? 0) - (placedAgo.get(purchaseId) ?? 0))
}

/** As `secondsLeft`, by what the listing says. */
async function heldSeconds({ purchaseId }: Purchase): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    'select round(extract(epoch from held_until - p.created_at))::int as seconds from listings l join purchases p on p.id = l.held_by where p.id = $1',
    [purchaseId],
  )
  return (row?.seconds ?? 0) - (placedAgo.get(purchaseId) ?? 0)
}

describe('the time to pay', () => {
  it('is extended by an outage as long as it lasted, and both sides and the market are told', async () => {
    const purchase = await holdPlaced(40)
    const [before] = await query<{ id: string }>('select coalesce(max(id), 0)::text as id from events')
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(HOLD_SECONDS - 40 + 30)
    expect(await heldSeconds(purchase)).toBe(HOLD_SECONDS - 40 + 30)
    const told = await query('select type, audience from events where id > $1 order by id', [before?.id])
    expect(told).toEqual([
      { type: 'listing.held', audience: null },
      { type: 'purchase.changed', audience: [world.buyer.address, world.seller.address] },
    ])
  })

  it('does not run out while an outage lasts: nobody else gets the listing, and its buyer may still pay', async () => {
    const purchase = await holdPlaced(70)
    await silentFor(30)
    // The outage began 40 s after the hold, with 20 s left.
    expect(await secondsLeft(purchase)).toBe(20)
    await world.makeDue(purchase)
    await world.reconcileOnce()
    await expect(world.hold(world.rival, listingId)).rejects.toMatchObject({ code: 'LISTING_HELD' })
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ purchaseId: purchase.purchaseId, status: 'held' })
    const payment = await world.signPayment(world.buyer, purchase)
    await world.submit(world.buyer, purchase, payment)
    await world.untilStatus(purchase, 'settled')
  })

  it('is extended by at most as much again, however long an outage lasts or how many there are', async () => {
    const purchase = await holdPlaced(50)
    await endOutage(45)
    expect(await secondsLeft(purchase)).toBe(HOLD_SECONDS - 50 + 45)
    await query(`update outages set began_at = began_at - interval '10 s', ended_at = ended_at - interval '10 s'`)
    await endOutage(40)
    expect(await secondsLeft(purchase)).toBe(2 * HOLD_SECONDS - 50)
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(2 * HOLD_SECONDS - 50)
  })

  it('closes during a long outage once it has been extended by as much again', async () => {
    const purchase = await holdPlaced(2 * HOLD_SECONDS + 1)
    await silentFor(2 * HOLD_SECONDS)
    expect(await secondsLeft(purchase)).toBe(0)
    await world.makeDue(purchase)
    await world.untilStatus(purchase, 'ended')
  })

  it('is not extended by an outage that began after it, ended before it, or lasted a few seconds', async () => {
    await endOutage(30)
    const purchase = await holdPlaced(0)
    expect(await secondsLeft(purchase)).toBe(HOLD_SECONDS)
    await endOutage(14)
    expect(await secondsLeft(purchase)).toBe(HOLD_SECONDS)
    await query(
      `update purchases set created_at = created_at - interval '100 s', pay_before = pay_before - interval '100 s' where id = $1`,
      [purchase.purchaseId],
    )
    placedAgo.set(purchase.purchaseId, 100)
    await query('truncate outages')
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(0)
    expect(await query('select agreed_pay_before from purchases where id = $1', [purchase.purchaseId])).toEqual([
      { agreed_pay_before: null },
    ])
  })

  it('is not extended once the hold is cancelled', async () => {
    const purchase = await holdPlaced(20)
    await world.cancel(world.buyer, purchase)
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(0)
  })

  it('is not extended once signed bytes are recorded', async () => {
    const purchase = await holdPlaced(20)
    const payment = await world.signPayment(world.buyer, purchase)
    await world.withChain({ broadcast: async () => undefined }).submit(world.buyer, purchase, payment)
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(HOLD_SECONDS - 20)
    await world.untilStatus(purchase, 'settled')
  })

  it('is not extended once the release height is read', async () => {
    const purchase = await holdPlaced(70)
    await world.makeDue(purchase)
    await world.reconcileOnce()
    await endOutage(30)
    expect(await secondsLeft(purchase)).toBe(0)
    expect(
      await query('select release_height is not null as read, agreed_pay_before from purchases where id = $1', [purchase.purchaseId]),
    ).toEqual([{ read: true, agreed_pay_before: null }])
  })

  it('ends before the release height is read: one that was read earlier is thrown away', async () => {
    const purchase = await holdPlaced(61)
    const leasedAgo = (seconds: number) => ({ id: purchase.purchaseId, leasedAt: new Date(Date.now() - seconds * 1_000) }) as DuePurchase
    const releaseHeights = () => query('select release_height from purchases where id = $1', [purchase.purchaseId])
    // The server that reads the height is cut off before it can write it down, by an outage that began while there was time to pay.
    await endOutage(20)
    await setReleaseHeight(world.database, leasedAgo(0), 1_000n)
    expect(await releaseHeights()).toEqual([{ release_height: null }])
    // A minute later the extended window has closed, too. Payments of that time may land above a height that was read before.
    await query(
      `update purchases set created_at = created_at - interval '60 s', pay_before = pay_before - interval '60 s',
         agreed_pay_before = agreed_pay_before - interval '60 s' where id = $1`,
      [purchase.purchaseId],
    )
    await query(`update outages set began_at = began_at - interval '60 s', ended_at = ended_at - interval '60 s'`)
    await setReleaseHeight(world.database, leasedAgo(60), 1_000n)
    expect(await releaseHeights()).toEqual([{ release_height: null }])
    await setReleaseHeight(world.database, leasedAgo(0), 1_000n)
    expect(await releaseHeights()).toEqual([{ release_height: 1_000n }])
  })
})

describe('a hold whose time to pay was interrupted', () => {
  it('is no abandoned one, not even before the outage is over', async () => {
    for (let n = 0; n < 2; n++) {
      const { purchaseId } = await holdPlaced(0)
      await silentFor(16)
      await world.cancel(world.buyer, { purchaseId })
      // The outage has lasted since before the hold was cancelled.
      await query(`update purchases set created_at = created_at - interval '5 s', pay_before = pay_before - interval '5 s' where id = $1`, [
        purchaseId,
      ])
      expect(await world.read(purchaseId)).toMatchObject({ endReason: 'cancelled', cooldownUntil: null })
    }
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })
})
