import { Failure } from '@juicebar/contract/errors'
import { beforeEach, describe, expect, it } from 'vitest'
import { beat } from '../../../src/purchases/hold/hold-store.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { type OrderedItem } from '../../../src/purchases/reservation/order.ts'
import { orderOf, outcomeOf, refusal, useTradingWorld, type Wallet } from '../trading-world.ts'

const world = useTradingWorld()
let listingId: string

beforeEach(async () => void (listingId = await world.list()))

/** Cancels a new hold, `minutesAgo`, and returns it as its buyer sees it then. */
async function abandon(listing = listingId, minutesAgo = 0) {
  const purchase = await world.hold(world.buyer, listing)
  await world.cancel(world.buyer, purchase)
  await world.connection.pool.query(
    `update purchases set created_at = created_at - make_interval(mins => $2), pay_before = pay_before - make_interval(mins => $2),
       ended_at = ended_at - make_interval(mins => $2) where id = $1`,
    [purchase.purchaseId, minutesAgo],
  )
  return world.read(purchase.purchaseId)
}

/** All servers have been silent for so long. */
async function endOutage(minutes: number): Promise<void> {
  await world.connection.pool.query(`update heartbeat set beat_at = now() - make_interval(mins => $1)`, [minutes])
  await beat(world.database)
}

const minutesUntil = (time: string | null) => Math.round((Date.parse(time ?? '') - Date.now()) / 60_000)

describe('a listing that a wallet left unpaid', () => {
  it('once, can be held again at once', async () => {
    expect(await abandon()).toMatchObject({ endReason: 'cancelled', cooldownUntil: null })
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('twice within a day, cannot be held for 10 minutes, and says until when', async () => {
    await abandon()
    const { cooldownUntil } = await abandon()
    expect(minutesUntil(cooldownUntil)).toBe(10)
    await expect(world.hold(world.buyer, listingId)).rejects.toMatchObject({ code: 'COOLDOWN', retryAfter: expect.closeTo(600, -1) })
    await expect(world.holdNew()).resolves.toMatchObject({ status: 'held' })
    await expect(world.hold(world.rival, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('more often, cannot be held for twice as long each time', async () => {
    await abandon(listingId, 120)
    await abandon(listingId, 90)
    await abandon(listingId, 60)
    expect(minutesUntil((await abandon()).cooldownUntil)).toBe(40)
  })

  it('again after more than a day, can be held at once', async () => {
    await abandon(listingId, 24 * 60 + 1)
    expect(await abandon()).toMatchObject({ cooldownUntil: null })
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('can be held once the cooldown is over, which the purchase no longer shows', async () => {
    await abandon(listingId, 12)
    expect(await abandon(listingId, 11)).toMatchObject({ cooldownUntil: null })
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('is left a second time by a hold that lapses', async () => {
    await abandon()
    const second = await world.hold(world.buyer, listingId)
    await world.lapse(second)
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(refusal('COOLDOWN'))
    expect(minutesUntil((await world.read(second.purchaseId)).cooldownUntil)).toBe(10)
  })
})

describe('a wallet that abandoned three purchases within an hour', () => {
  const abandonOthers = async (minutesAgo: number) => {
    for (let n = 0; n < 3; n++) await abandon(await world.list(), minutesAgo)
  }

  it('may have one purchase at a time', async () => {
    await abandonOthers(59)
    const purchase = await world.hold(world.buyer, listingId)
    const other = await world.list()
    await expect(world.hold(world.buyer, other)).rejects.toMatchObject({
      code: 'TOO_MANY_HOLDS',
      message: expect.stringContaining('one purchase'),
    })
    await world.cancel(world.buyer, purchase)
    await expect(world.hold(world.buyer, other)).resolves.toMatchObject({ status: 'held' })
  })

  it('may have three again after that hour', async () => {
    await abandonOthers(61)
    for (let n = 0; n < 3; n++) await world.holdNew()
    await expect(world.hold(world.buyer, listingId)).rejects.toMatchObject({
      code: 'TOO_MANY_HOLDS',
      message: expect.stringContaining('3 purchases'),
    })
  })
})

describe('a purchase that was left unpaid during an outage', () => {
  beforeEach(() => beat(world.database))

  it('is not abandoned', async () => {
    await abandon()
    const { purchaseId } = await abandon()
    await endOutage(5)
    expect(await world.read(purchaseId)).toMatchObject({ endReason: 'cancelled', cooldownUntil: null })
    await expect(world.hold(world.buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('is abandoned if the outage was over before, or lasted a few seconds', async () => {
    await endOutage(5)
    await world.connection.pool.query(`update heartbeat set beat_at = now() - interval '14 seconds'`)
    await abandon()
    await abandon()
    await beat(world.database)
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(refusal('COOLDOWN'))
  })
})

describe('wallets that never completed a purchase', () => {
  const network = { hash: Buffer.alloc(32, 7), mostItems: 10 }
  const holdFrom = (buyer: Wallet, items: OrderedItem[], from = network) =>
    placeHold(world.deps, { ...orderOf(buyer, items), network: from })
  const listNew = async () => ({ listingId: await world.list() })

  it('hold ten listings together from one network, even if they ask at the same time', async () => {
    const buyers = await Promise.all(Array.from({ length: 7 }, () => world.createWallet()))
    const orders = await Promise.all(buyers.map(async (buyer) => ({ buyer, items: [await listNew(), await listNew()] })))
    const outcomes = await Promise.all(orders.map(({ buyer, items }) => outcomeOf(holdFrom(buyer, items))))
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual(['TOO_MANY_HOLDS', 'TOO_MANY_HOLDS'])
    const [stranger, known] = [await world.createWallet(), await world.createWallet()]
    await expect(holdFrom(stranger, [await listNew()])).rejects.toMatchObject({
      message: expect.stringContaining('new buyers of your network'),
    })
    await expect(holdFrom(stranger, [await listNew()], { ...network, hash: Buffer.alloc(32, 8) })).resolves.toBeDefined()
    await world.untilStatus(await world.buyCoSigned(known, [await listNew()]), 'settled')
    await expect(holdFrom(known, [await listNew()])).resolves.toBeDefined()
  })
})

const down = () => Promise.reject(new Failure('CHAIN_DOWN'))

describe('a hold that would be refused', () => {
  const expectRefusal = async (listingId: string, code: string, wallet = world.buyer) => {
    // Requests to the chain are scarce: nobody may use them up with holds that are refused anyway.
    const unreachable = world.withChain({ genesisHash: down, highestSlot: down, balance: down, rentExemptMinimum: down })
    await expect(unreachable.hold(wallet, listingId)).rejects.toMatchObject({ code })
  }

  it('is refused without asking the chain', async () => {
    const [heldListing, cancelledListing] = [await world.list(), await world.list()]
    await world.hold(world.rival, heldListing)
    await expectRefusal(heldListing, 'LISTING_HELD')
    await expectRefusal(heldListing, 'OWN_LISTING', world.seller)
    await expectRefusal('018f0000-0000-7000-8000-000000000000', 'LISTING_NOT_FOUND')
    for (let n = 0; n < 2; n++) await world.cancel(world.buyer, await world.hold(world.buyer, cancelledListing))
    await expectRefusal(cancelledListing, 'COOLDOWN')
    for (let n = 0; n < 3; n++) await world.holdNew()
    await expectRefusal(await world.list(), 'TOO_MANY_HOLDS')
  })

  it('is refused without asking the chain if it is ambiguous', async () => {
    const price = world.nextPrice()
    await world.hold(world.buyer, await world.list(world.seller, { price }))
    await expectRefusal(await world.list(world.seller, { price }), 'AMBIGUOUS_HOLD')
  })
})

describe('a listing whose holder can no longer pay', () => {
  it('stays held, in cooldown too, until the chain proves that no payment came', async () => {
    for (let n = 0; n < 2; n++) await world.cancel(world.buyer, await world.hold(world.buyer, listingId))
    await world.closePaymentWindow(await world.hold(world.rival, listingId))
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(refusal('LISTING_HELD'))
  })
})

describe('a listing that the same buyer already holds', () => {
  it('returns the same hold, even while the chain is down', async () => {
    const held = await world.hold(world.buyer, listingId)
    const unreachable = world.withChain({ genesisHash: down, highestSlot: down, balance: down })
    expect(await unreachable.hold(world.buyer, listingId)).toMatchObject({ purchaseId: held.purchaseId })
  })
})
