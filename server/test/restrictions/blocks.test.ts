import { lamports } from '@juicebar/contract/money'
import { type Signature } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createListing } from '../../src/listings/create-listing.ts'
import { findListing, listOwnListings } from '../../src/listings/listing-store.ts'
import { removeListing } from '../../src/listings/remove-listing.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { checkSignIn, readOwnBlock } from '../../src/restrictions/check-sign-in.ts'
import { recordBlock, recordUnblock } from '../../src/studio/restrictions/record-block.ts'
import {
  appleJuice,
  expectAllAddsUp,
  hold,
  holdItems,
  list,
  openTradingWorld,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../purchases/trading-world.ts'

const reason = 'Sells what others paid for elsewhere'
const actor = 'test'
const blocked = expect.objectContaining({ code: 'BLOCKED', message: expect.stringContaining(`${reason}.`) })

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => void (world = await openTradingWorld()))

beforeEach(async () => {
  ;[seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

function block({ address: wallet }: Wallet, changes: { until?: Date; removeListings?: boolean } = {}) {
  return recordBlock(world.database, { wallet, reason, until: null, removeListings: false, actor, ...changes })
}

const signIn = ({ address }: Wallet) => checkSignIn(world.database, address)

async function listDivisible(amount: number): Promise<string> {
  const draft = { tokenType: 'APPLE_JUICE', amount, priceLamports: lamports(world.nextPrice()), divisible: true } as const
  return (await createListing(world.database, seller.address, draft))._id
}

async function statusOf(listingId: string): Promise<string | undefined> {
  return (await findListing(world.database, listingId))?.status
}

describe('a blocked wallet', () => {
  it('can neither list nor hold; others can, and buy what it has listed', async () => {
    const [own, others] = [await list(world, buyer), await list(world, seller)]
    await block(buyer)
    await expect(list(world, buyer)).rejects.toEqual(blocked)
    await expect(hold(world, buyer, others)).rejects.toEqual(blocked)
    const { purchaseId } = await hold(world, seller, own)
    await cancelHold(world.deps, seller.address, purchaseId)
    await removeListing(world.database, buyer.address, own)
  })

  it('pays for what it holds, and gets it', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await block(buyer)
    await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)
    await untilStatus(world, purchase.purchaseId, 'settled')
    expect(await appleJuice(world, buyer)).toBe(1_010)
  })

  it('is free again when the block ends, by itself or by a call', async () => {
    await block(buyer, { until: new Date(Date.now() + 3_600_000) })
    await expect(list(world, buyer)).rejects.toMatchObject({ message: expect.stringMatching(/Until \d{4}-\d\d-\d\d \d\d:\d\d UTC\./) })
    await world.connection.pool.query(`update blocks set until = now() - interval '1 second' where wallet_address = $1`, [buyer.address])
    await list(world, buyer)
    expect(await readOwnBlock(world.database, buyer.address)).toBeUndefined()
    await block(buyer)
    expect(await readOwnBlock(world.database, buyer.address)).toEqual({ reason, until: null })
    await recordUnblock(world.database, { wallet: buyer.address, actor })
    await list(world, buyer)
  })

  it('cannot be blocked until a time that has passed', async () => {
    await expect(block(buyer, { until: new Date(0) })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'until must be in the future.',
    })
    await expect(list(world, buyer)).resolves.toBeDefined()
  })

  it('signs in only while it has a listing, an open purchase or an open case', async () => {
    await block(buyer)
    await expect(signIn(buyer)).rejects.toEqual(blocked)
    await recordUnblock(world.database, { wallet: buyer.address, actor })

    const own = await list(world, buyer)
    await block(buyer)
    await signIn(buyer)
    await removeListing(world.database, buyer.address, own)
    await expect(signIn(buyer)).rejects.toEqual(blocked)
    await recordUnblock(world.database, { wallet: buyer.address, actor })

    const purchase = await hold(world, buyer, await list(world, seller))
    await Promise.all([block(buyer), block(seller)])
    await Promise.all([signIn(buyer), signIn(seller)])
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    await removeListing(world.database, seller.address, purchase.listingId)
    await Promise.all([buyer, seller].map((wallet) => expect(signIn(wallet)).rejects.toEqual(blocked)))

    await openCase(purchase.purchaseId)
    await Promise.all([signIn(buyer), signIn(seller)])
    await world.connection.pool.query('delete from cases where purchase_id = $1', [purchase.purchaseId])
    await Promise.all([buyer, seller].map((wallet) => expect(signIn(wallet)).rejects.toEqual(blocked)))
  })

  async function openCase(purchaseId: string): Promise<void> {
    const signature = '1'.repeat(64) as Signature
    const lamportsPaid = lamports(1n)
    await world.database
      .insertInto('cases')
      .values({ purchaseId, kind: 'late', signature, seller: seller.address, lamports: lamportsPaid, deliverable: false })
      .execute()
  }
})

describe('a seller whose listings are taken back', () => {
  it('has the drinks again, of more listings than fit into one transaction', async () => {
    await Promise.all(Array.from({ length: 120 }, () => list(world, seller, { amount: 1 })))
    expect(await appleJuice(world, seller)).toBe(880)
    expect(await block(seller, { removeListings: true })).toMatchObject({ removedListings: 120, block: { removeListings: true } })
    expect(await appleJuice(world, seller)).toBe(1_000)
    expect(await listOwnListings(world.database, seller.address, 'active')).toEqual([])
    expect(await block(seller, { removeListings: true })).toMatchObject({ removedListings: 0 })
  })

  it('loses what is being bought, if it is paid', async () => {
    const [whole, divisible] = [await list(world, seller), await listDivisible(20)]
    const purchase = await holdItems(world, buyer, [{ listingId: whole }, { listingId: divisible, amount: 5 }])
    expect(await block(seller, { removeListings: true })).toMatchObject({ removedListings: 1 })
    expect([await statusOf(whole), await statusOf(divisible)]).toEqual(['active', 'removed'])
    await submitPayment(world.deps, buyer.address, purchase.purchaseId, (await signPayment(world, buyer, purchase)).base64)
    await untilStatus(world, purchase.purchaseId, 'settled')
    expect([await appleJuice(world, buyer), await appleJuice(world, seller)]).toEqual([1_015, 985])
  })

  it('has what was being bought, a whole lot or a part, as soon as its hold ends unpaid', async () => {
    const [whole, divisible] = [await list(world, seller), await listDivisible(20)]
    const { purchaseId } = await holdItems(world, buyer, [{ listingId: whole }, { listingId: divisible, amount: 5 }])
    await block(seller, { removeListings: true })
    await cancelHold(world.deps, buyer.address, purchaseId)
    expect([await statusOf(whole), await statusOf(divisible)]).toEqual(['removed', 'removed'])
    expect(await appleJuice(world, seller)).toBe(1_000)
  })

  it('has a part of a lot that is itself being bought', async () => {
    const other = await world.createWallet()
    const divisible = await listDivisible(20)
    const part = await holdItems(world, buyer, [{ listingId: divisible, amount: 5 }])
    const rest = await holdItems(world, other, [{ listingId: divisible }])
    await block(seller, { removeListings: true })
    await cancelHold(world.deps, buyer.address, part.purchaseId)
    expect(await appleJuice(world, seller)).toBe(985)
    await cancelHold(world.deps, other.address, rest.purchaseId)
    expect(await appleJuice(world, seller)).toBe(1_000)
  })

  it('keeps on the market what was being bought if the block has ended meanwhile', async () => {
    const whole = await list(world, seller)
    const { purchaseId } = await hold(world, buyer, whole)
    await block(seller, { removeListings: true })
    await recordUnblock(world.database, { wallet: seller.address, actor })
    await cancelHold(world.deps, buyer.address, purchaseId)
    expect(await statusOf(whole)).toBe('active')
  })
})
