import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { removeListing } from '../../src/listings/remove-listing.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import {
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from './trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let price = 10_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

/** Asks again where so many ask at once that this machine has no database connection left in time. */
async function insistOnHold(wallet: Wallet['address'], listingId: string): Promise<string> {
  for (;;) {
    try {
      return await placeHold(world.deps, { buyer: wallet, listingId, sendsThrough: 'server' })
    } catch (error) {
      if (error instanceof Failure) throw error
    }
  }
}

const refusal = (code: string) => expect.objectContaining({ code })
const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string) => confirmPurchase(world.deps, buyer.address, listingId, signature)
const count = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.filter((outcome) => outcome.status === 'fulfilled').length

describe('races', () => {
  it('a lot has one holder among 20 simultaneous buyers', async () => {
    const listingId = await listAnew()
    const buyers = await Promise.all(Array.from({ length: 20 }, () => world.createWallet()))
    const outcomes = await Promise.allSettled(buyers.map((wallet) => hold(world, wallet, listingId)))
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(won).toHaveLength(1)
    expect(lost.map(({ reason }) => reason as unknown)).toEqual(Array.from({ length: 19 }, () => refusal('LISTING_HELD')))
  })

  it('the same buyer asking 20 times at once gets the same hold', async () => {
    const listingId = await listAnew()
    const holds = await Promise.all(Array.from({ length: 20 }, () => hold(world, buyer, listingId)))
    expect(new Set(holds.map((held) => held.purchaseId)).size).toBe(1)
    await cancelHold(world.deps, buyer.address, holds[0]?.purchaseId ?? '')
  })

  it('20 confirmations at once deliver once', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(listingId, signature)))
    expect(answers.every((answer) => answer.settled)).toBe(true)
    expect(await appleJuice(world, buyer)).toBe(before + purchase.amount)
  })

  it('a wallet has at most three holds, however fast it asks', async () => {
    const wallet = await world.createWallet()
    const lots = await Promise.all(Array.from({ length: 8 }, () => listAnew()))
    const outcomes = await Promise.allSettled(lots.map((listingId) => hold(world, wallet, listingId)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3)
  })

  it('a lot has one holder among 200 simultaneous buyers', { timeout: 120_000 }, async () => {
    const listingId = await listAnew()
    const buyers: Wallet[] = []
    while (buyers.length < 200) buyers.push(...(await Promise.all(Array.from({ length: 25 }, () => world.createWallet()))))
    const outcomes = await Promise.allSettled(buyers.map(({ address }) => insistOnHold(address, listingId)))
    expect(count(outcomes)).toBe(1)
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(lost).toEqual(Array.from({ length: 199 }, () => refusal('LISTING_HELD')))
  })

  it('a lot is either removed or held, never both', async () => {
    for (let round = 0; round < 15; round++) {
      const listingId = await listAnew()
      const [removed, held] = await Promise.allSettled([
        removeListing(world.database, seller.address, listingId),
        hold(world, buyer, listingId),
      ])
      expect(count([removed, held])).toBe(1)
      if (held.status === 'fulfilled') await cancelHold(world.deps, buyer.address, held.value.purchaseId)
    }
  })

  it('a payment is either taken or its hold let go, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const purchase = await hold(world, buyer, await listAnew())
      const { base64 } = await signPayment(world, buyer, purchase)
      const [taken, gone] = await Promise.allSettled([
        submitPayment(world.deps, buyer.address, purchase.purchaseId, base64),
        cancelHold(world.deps, buyer.address, purchase.purchaseId),
      ])
      expect(count([taken, gone])).toBe(1)
      await untilStatus(world, purchase.purchaseId, taken.status === 'fulfilled' ? 'settled' : 'ended')
    }
  })

  it('of two payments for two purchases of one lot one is delivered', async () => {
    const listingId = await listAnew()
    const rival = await world.createWallet()
    const first = await hold(world, buyer, listingId)
    await cancelHold(world.deps, buyer.address, first.purchaseId)
    const late = await sendByWallet(world, await signPayment(world, buyer, first))
    const second = await hold(world, rival, listingId)
    await cancelHold(world.deps, rival.address, second.purchaseId)
    const later = await sendByWallet(world, await signPayment(world, rival, second))
    const outcomes = await Promise.allSettled([
      confirmPurchase(world.deps, buyer.address, listingId, late),
      confirmPurchase(world.deps, rival.address, listingId, later),
    ])
    expect(count(outcomes)).toBe(1)
    expect([await appleJuice(world, buyer), await appleJuice(world, rival)].toSorted((a, b) => a - b)).toEqual([1_000, 1_010])
  })
})
