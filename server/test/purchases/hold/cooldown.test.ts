import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { beat } from '../../../src/purchases/hold/outage-store.ts'
import { closePaymentWindow } from '../reconciling.ts'
import {
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let listingId: string

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => {
  buyer = await world.createWallet()
  listingId = await list(world, seller)
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** Cancels a new hold, `minutesAgo`, and returns it as its buyer sees it then. */
async function abandon(listing = listingId, minutesAgo = 0) {
  const { purchaseId } = await hold(world, buyer, listing)
  await cancelHold(world.deps, buyer.address, purchaseId)
  await shift(purchaseId, minutesAgo)
  return readPurchase(world, purchaseId)
}

/** Makes a purchase older than it is. */
async function shift(purchaseId: string, minutes: number): Promise<void> {
  await world.connection.pool.query(
    `update purchases set created_at = created_at - make_interval(mins => $2), pay_before = pay_before - make_interval(mins => $2),
       ended_at = ended_at - make_interval(mins => $2) where id = $1`,
    [purchaseId, minutes],
  )
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
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('twice within a day, cannot be held for 10 minutes, and says until when', async () => {
    await abandon()
    const { cooldownUntil } = await abandon()
    expect(minutesUntil(cooldownUntil)).toBe(10)
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({ code: 'COOLDOWN', retryAfter: expect.closeTo(600, -1) })
    await expect(hold(world, buyer, await list(world, seller))).resolves.toMatchObject({ status: 'held' })
    const rival = await world.createWallet()
    await expect(hold(world, rival, listingId)).resolves.toMatchObject({ status: 'held' })
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
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('can be held once the cooldown is over, which the purchase no longer shows', async () => {
    await abandon(listingId, 12)
    expect(await abandon(listingId, 11)).toMatchObject({ cooldownUntil: null })
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('is left a second time by a hold that lapses, even before anybody has ended it', async () => {
    await abandon()
    const second = await hold(world, buyer, listingId)
    await closePaymentWindow(world, second)
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({ code: 'COOLDOWN' })
    await untilStatus(world, second.purchaseId, 'ended')
    expect(minutesUntil((await readPurchase(world, second.purchaseId)).cooldownUntil)).toBe(10)
  })
})

describe('a wallet that abandoned three purchases within an hour', () => {
  const abandonOthers = async (minutesAgo: number) => {
    for (let n = 0; n < 3; n++) await abandon(await list(world, seller), minutesAgo)
  }

  it('may hold one item at a time', async () => {
    await abandonOthers(59)
    const { purchaseId } = await hold(world, buyer, listingId)
    const other = await list(world, seller)
    await expect(hold(world, buyer, other)).rejects.toMatchObject({ code: 'TOO_MANY_HOLDS', message: expect.stringContaining('one lot') })
    await cancelHold(world.deps, buyer.address, purchaseId)
    await expect(hold(world, buyer, other)).resolves.toMatchObject({ status: 'held' })
  })

  it('may hold three again after that hour', async () => {
    await abandonOthers(61)
    for (let n = 0; n < 3; n++) await hold(world, buyer, await list(world, seller))
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({
      code: 'TOO_MANY_HOLDS',
      message: expect.stringContaining('3 lots'),
    })
  })
})

describe('a purchase that was left unpaid during an outage', () => {
  beforeEach(() => beat(world.database))

  it('is not abandoned', async () => {
    await abandon()
    const { purchaseId } = await abandon()
    await endOutage(5)
    expect(await readPurchase(world, purchaseId)).toMatchObject({ endReason: 'cancelled', cooldownUntil: null })
    await expect(hold(world, buyer, listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('is abandoned if the outage was over before, or lasted a few seconds', async () => {
    await endOutage(5)
    await world.connection.pool.query(`update heartbeat set beat_at = now() - interval '14 seconds'`)
    await abandon()
    await abandon()
    await beat(world.database)
    await expect(hold(world, buyer, listingId)).rejects.toMatchObject({ code: 'COOLDOWN' })
  })
})
