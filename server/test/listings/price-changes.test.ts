import { randomUUID } from 'node:crypto'
import { lamports } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'
import { beforeEach, describe, expect, it } from 'vitest'
import { createListing } from '../../src/listings/change-listings.ts'
import { changePrice, type PriceChange } from '../../src/listings/change-price.ts'
import { deleteOldKeys, findListing, listOwnListings } from '../../src/listings/listing-store.ts'
import { recordRules } from '../../src/studio/record-restrictions.ts'
import { draftRules } from '../../src/restrictions/restriction.ts'
import { refusal, useTradingWorld } from '../purchases/trading-world.ts'
import { defaultCatalogue } from '../support/catalogue.ts'

const SOL = 1_000_000_000n
const MAX_PRICE = 1_000_000n * SOL

const world = useTradingWorld()
beforeEach(async () => void (world.seller = await world.createWallet()))

const change = (listingId: string, price: bigint, options: Partial<PriceChange> = {}) =>
  changePrice(world.database, { seller: world.seller.address, listingId, price: lamports(price), ...options })
/** As if the last change of the price were long ago. */
const wait = (seconds = 10) =>
  world.connection.pool.query('update listings set priced_at = priced_at - make_interval(secs => $1) where seller = $2', [
    seconds,
    world.seller.address,
  ])
const divisible = (amount: number, price: bigint) => world.list(world.seller, { amount, price, divisible: true })
const take = (listingId: string, amount: number, buyer = world.buyer) => world.holdItems(buyer, [{ listingId, amount }])
const read = (listingId: string) => findListing(world.database, listingId)

describe('the price of a listing', () => {
  it('changes at once, for everybody, and as one event', async () => {
    const id = await world.list()
    const before = await lastEvent()
    expect(await change(id, 3n * SOL)).toMatchObject({ _id: id, price: 3, lamports: '3000000000', unitPrice: 0.3, amount: 10 })
    expect(await read(id)).toMatchObject({ price: 3, status: 'active' })
    expect(await eventsAfter(before)).toEqual([{ type: 'listing.changed', listing: await read(id) }])
  })

  it('that it has already changes nothing, and is not refused', async () => {
    const id = await world.list()
    await change(id, SOL)
    const before = await lastEvent()
    expect(await change(id, SOL)).toMatchObject({ price: 1 })
    await world.hold(world.buyer, id)
    expect(await change(id, SOL)).toMatchObject({ price: 1 })
    expect((await eventsAfter(before)).filter(({ type }) => type === 'listing.changed')).toEqual([])
  })

  it('changes at most once in ten seconds', async () => {
    const id = await world.list()
    await change(id, SOL)
    await wait(4)
    const refused = expect.objectContaining({
      code: 'PRICE_JUST_CHANGED',
      retryAfter: 6,
      message: expect.stringContaining('in 6 seconds.'),
    })
    await expect(change(id, 2n * SOL)).rejects.toEqual(refused)
    await wait(6)
    expect(await change(id, 2n * SOL)).toMatchObject({ price: 2 })
  })

  it('is changed by one of two sellers’ calls at the same time, and the other hears why not', async () => {
    const id = await world.list()
    const outcomes = await Promise.allSettled([change(id, SOL), change(id, 2n * SOL)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes).toContainEqual({ status: 'rejected', reason: refusal('PRICE_JUST_CHANGED') })
  })

  it('is changed only by its seller, and only while it is for sale and free', async () => {
    const id = await world.list()
    await expect(change(id, SOL, { seller: world.rival.address })).rejects.toEqual(refusal('NOT_YOUR_LISTING'))
    for (const unknown of ['nothing', randomUUID()]) await expect(change(unknown, SOL)).rejects.toEqual(refusal('LISTING_NOT_FOUND'))
    const purchase = await world.hold(world.buyer, id)
    await expect(change(id, SOL)).rejects.toEqual(refusal('LISTING_HELD_BY_BUYER'))
    await world.cancel(world.buyer, purchase)
    await world.remove(id)
    await expect(change(id, SOL)).rejects.toEqual(refusal('LISTING_NOT_ACTIVE'))
  })

  it('is not changed while a payment reserves the listing', async () => {
    const id = await world.list()
    const purchase = await world.buyCoSigned(world.buyer, [{ listingId: id }])
    await expect(change(id, SOL)).rejects.toEqual(refusal('LISTING_HELD_BY_BUYER'))
    await world.untilStatus(purchase, 'settled')
  })

  it('is not changed while the studio looks into a lost payment to its seller', async () => {
    const id = await world.list()
    const { pool } = world.connection
    await pool.query(
      `insert into cases (kind, signature, buyer, genesis_hash, paid_at_slot, seller, lamports, fee_lamports, deliverable)
       values ('lost', $1, $2, 'genesis', 1, $3, 1000000, 0, false)`,
      [`lost ${id}`, world.buyer.address, world.seller.address],
    )
    await expect(change(id, SOL)).rejects.toEqual(refusal('LISTING_FROZEN'))
    await pool.query('delete from cases where signature = $1', [`lost ${id}`])
  })

  it('keeps the rules of the market, as that of a new listing', async () => {
    const id = await world.list()
    const set = (minUnitPrice: number) =>
      recordRules(world.database, {
        rules: draftRules([{ tokenType: 'APPLE_JUICE', minUnitPrice }], defaultCatalogue),
        catalogue: defaultCatalogue,
        reason: undefined,
        actor: 'test',
      })
    await set(0.1)
    await expect(change(id, SOL - 1_000_000n)).rejects.toEqual(refusal('RULE_BROKEN'))
    expect(await change(id, SOL)).toMatchObject({ price: 1 })
    await recordRules(world.database, { rules: [], catalogue: defaultCatalogue, reason: undefined, actor: 'test' })
  })
})

describe('a change with an idempotency key', () => {
  it('is made once: asked for again, it neither undoes a later one nor has to wait', async () => {
    const [id, idempotencyKey] = [await world.list(), randomUUID()]
    await change(id, SOL, { idempotencyKey })
    expect(await change(id, SOL, { idempotencyKey })).toMatchObject({ price: 1 })
    await wait()
    await change(id, 2n * SOL)
    expect(await change(id, SOL, { idempotencyKey })).toMatchObject({ price: 2 })
  })

  it('is made once, however often it is asked for at the same time', async () => {
    const [id, idempotencyKey] = [await world.list(), randomUUID()]
    const before = await lastEvent()
    const all = await Promise.all(Array.from({ length: 8 }, () => change(id, SOL, { idempotencyKey })))
    expect(all.map(({ price }) => price)).toEqual(all.map(() => 1))
    expect(await eventsAfter(before)).toHaveLength(1)
  })

  it('uses the key up even if the listing had the price already', async () => {
    const [id, idempotencyKey] = [await world.list(world.seller, { price: SOL }), randomUUID()]
    await change(id, SOL, { idempotencyKey })
    await change(id, 2n * SOL)
    expect(await change(id, SOL, { idempotencyKey })).toMatchObject({ price: 2 })
  })

  it('does not use the key up if it is refused', async () => {
    const [id, idempotencyKey] = [await world.list(), randomUUID()]
    await change(id, SOL)
    await expect(change(id, 2n * SOL, { idempotencyKey })).rejects.toEqual(refusal('PRICE_JUST_CHANGED'))
    await wait()
    expect(await change(id, 2n * SOL, { idempotencyKey })).toMatchObject({ price: 2 })
  })

  it('is refused if the key belongs to another call', async () => {
    const [id, other, idempotencyKey] = [await world.list(), await world.list(), randomUUID()]
    const draft = { tokenType: 'APPLE_JUICE', amount: 3, priceLamports: lamports(SOL), divisible: false } as const
    await change(id, SOL, { idempotencyKey })
    const reused = refusal('IDEMPOTENCY_KEY_REUSED')
    await expect(change(id, 2n * SOL, { idempotencyKey })).rejects.toEqual(reused)
    await expect(change(other, SOL, { idempotencyKey })).rejects.toEqual(reused)
    await expect(createListing(world.database, world.seller.address, draft, { idempotencyKey })).rejects.toEqual(reused)

    const ofCreation = { idempotencyKey: randomUUID() }
    const { _id } = await createListing(world.database, world.seller.address, draft, ofCreation)
    await expect(change(_id, SOL, ofCreation)).rejects.toEqual(reused)
    await change(_id, 2n * SOL)
    expect(await createListing(world.database, world.seller.address, draft, ofCreation)).toMatchObject({ _id, price: 2 })
  })

  it('is known by its key for a day', async () => {
    const [id, idempotencyKey] = [await world.list(), randomUUID()]
    await change(id, SOL, { idempotencyKey })
    await world.connection.pool.query(`update listing_keys set created_at = now() - interval '25 hours' where listing_id = $1`, [id])
    await deleteOldKeys(world.database)
    await wait()
    await change(id, 2n * SOL)
    await wait()
    expect(await change(id, SOL, { idempotencyKey })).toMatchObject({ price: 1 })
  })
})

describe('a part that is being bought', () => {
  it('keeps its price, and costs the new one once it comes back', async () => {
    const id = await divisible(10, SOL)
    const purchase = await take(id, 4)
    expect(purchase).toMatchObject({ price: 0.4 })
    expect(await change(id, 1_200_000_000n)).toMatchObject({ amount: 6, price: 1.2 })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ price: 0.4 })
    await world.cancel(world.buyer, purchase)
    expect(await read(id)).toMatchObject({ amount: 10, price: 2, unitPrice: 0.2 })
  })

  it('is delivered for what was agreed, and the rest costs the new price', async () => {
    const id = await divisible(10, SOL)
    const purchase = await take(id, 4)
    await change(id, 3n * SOL)
    await world.payByWallet(world.buyer, purchase)
    await world.untilStatus(purchase, 'settled')
    expect(await take(id, 2)).toMatchObject({ price: 1 })
    expect(await read(id)).toMatchObject({ amount: 4, price: 2 })
  })

  it('merges at the newest price of several', async () => {
    const id = await divisible(9, 900_000_000n)
    const [first, second] = [await take(id, 2), await take(id, 3, world.rival)]
    await change(id, SOL)
    await world.cancel(world.buyer, first)
    expect(await read(id)).toMatchObject({ amount: 6, lamports: '1500000000' })
    await wait()
    await change(id, 7_000_000n)
    await world.cancel(world.rival, second)
    // Nine at 7,000,000 for six, rounded up.
    expect(await read(id)).toMatchObject({ amount: 9, lamports: '10500000' })
  })

  it('cannot make its listing cost more than the database can store', async () => {
    const id = await divisible(10, SOL)
    const purchase = await take(id, 9)
    await expect(change(id, MAX_PRICE)).rejects.toEqual(refusal('PRICE_INVALID'))
    expect(await change(id, MAX_PRICE / 10n)).toMatchObject({ amount: 1, price: 100_000 })
    await world.cancel(world.buyer, purchase)
    expect(await read(id)).toMatchObject({ amount: 10, price: 1_000_000 })
  })

  it('for sale by itself has a price of its own only once its listing is gone for good', async () => {
    const id = await divisible(10, SOL)
    const [part, rest] = [await take(id, 4), await world.hold(world.rival, id)]
    await world.cancel(world.buyer, part)
    const partId = part.items[0]?.listingId ?? ''
    await expect(change(partId, SOL)).rejects.toEqual(refusal('LISTING_HELD_BY_BUYER'))
    await world.payByWallet(world.rival, rest)
    await world.untilStatus(rest, 'settled')
    expect(await change(partId, SOL)).toMatchObject({ _id: partId, amount: 4, price: 1 })
  })

  it('shows its seller what everything costs that is not sold yet', async () => {
    const id = await divisible(10, SOL)
    await take(id, 4)
    await change(id, 3n * SOL)
    const own = (await listOwnListings(world.database, world.seller.address, 'active')).find(({ _id }) => _id === id)
    const expected: Partial<OwnListing> = { amount: 10, beingBought: 4, price: 3.4, lamports: '3400000000', unitPrice: 0.5 }
    expect(own).toMatchObject(expected)
  })
})

describe('an offer made before a change', () => {
  it.each([
    ['dearer', 2n * SOL],
    ['cheaper', SOL / 2n],
  ])('is refused once the listing is %s', async (_how, price) => {
    const id = await divisible(10, SOL)
    const items = [{ listingId: id, amount: 3 }]
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    await change(id, price)
    await expect(world.pay(world.buyer, items, offer, payment)).rejects.toEqual(refusal('PRICE_MOVED'))
    expect(await world.offer(world.buyer, items)).toMatchObject({ lamports: `${(price * 3n) / 10n}` })
  })

  it('is still good if the change was undone', async () => {
    const id = await divisible(10, SOL)
    const items = [{ listingId: id, amount: 3 }]
    const offer = await world.offer(world.buyer, items)
    const payment = await world.signOffer(world.buyer, offer)
    await change(id, 2n * SOL)
    await wait()
    await change(id, SOL)
    const { purchaseId } = await world.pay(world.buyer, items, offer, payment)
    await world.untilStatus({ purchaseId }, 'settled')
  })
})

async function lastEvent(): Promise<string> {
  const { rows } = await world.connection.pool.query<{ id: string }>('select coalesce(max(id), 0)::text as id from events')
  return rows[0]?.id ?? '0'
}

async function eventsAfter(id: string): Promise<{ type: string }[]> {
  const { rows } = await world.connection.pool.query<{ data: { type: string } }>('select data from events where id > $1 order by id', [id])
  return rows.map(({ data }) => data)
}
