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
  orderOf,
} from './trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** Retries when so many hold at once that no database connection is free in time. */
async function retryHold(wallet: Wallet['address'], listingId: string): Promise<string> {
  for (;;) {
    try {
      return (await placeHold(world.deps, orderOf({ address: wallet }, [{ listingId }]))).id
    } catch (error) {
      if (error instanceof Failure) throw error
    }
  }
}

const refusal = (code: string) => expect.objectContaining({ code })
const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string) => confirmPurchase(world.deps, buyer.address, listingId, signature)
const count = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.filter((outcome) => outcome.status === 'fulfilled').length

describe('at once', () => {
  it('20 buyers get one hold of a listing', async () => {
    const listingId = await list(world, seller)
    const buyers = await Promise.all(Array.from({ length: 20 }, () => world.createWallet()))
    const outcomes = await Promise.allSettled(buyers.map((wallet) => hold(world, wallet, listingId)))
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(won).toHaveLength(1)
    expect(lost.map(({ reason }) => reason as unknown)).toEqual(Array.from({ length: 19 }, () => refusal('LISTING_HELD')))
  })

  it('20 requests of one buyer get the same hold', async () => {
    const listingId = await list(world, seller)
    const holds = await Promise.all(Array.from({ length: 20 }, () => hold(world, buyer, listingId)))
    expect(new Set(holds.map((held) => held.purchaseId)).size).toBe(1)
    await cancelHold(world.deps, buyer.address, holds[0]?.purchaseId ?? '')
  })

  it('20 confirmations deliver once', async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(listingId, signature)))
    expect(answers.every((answer) => answer.settled)).toBe(true)
    expect(await appleJuice(world, buyer)).toBe(before + purchase.amount)
  })

  it('a wallet gets at most three holds', async () => {
    const wallet = await world.createWallet()
    const listingIds = await Promise.all(Array.from({ length: 8 }, () => list(world, seller)))
    const outcomes = await Promise.allSettled(listingIds.map((listingId) => hold(world, wallet, listingId)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3)
  })

  it('200 buyers get one hold of a listing', { timeout: 120_000 }, async () => {
    const listingId = await list(world, seller)
    const buyers: Wallet[] = []
    while (buyers.length < 200) buyers.push(...(await Promise.all(Array.from({ length: 25 }, () => world.createWallet()))))
    const outcomes = await Promise.allSettled(buyers.map(({ address }) => retryHold(address, listingId)))
    expect(count(outcomes)).toBe(1)
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(lost).toEqual(Array.from({ length: 199 }, () => refusal('LISTING_HELD')))
  })

  it('a listing is either removed or held, never both', async () => {
    for (let round = 0; round < 15; round++) {
      const listingId = await list(world, seller)
      const [removed, held] = await Promise.allSettled([
        removeListing(world.database, seller.address, listingId),
        hold(world, buyer, listingId),
      ])
      expect(count([removed, held])).toBe(1)
      if (held.status === 'fulfilled') await cancelHold(world.deps, buyer.address, held.value.purchaseId)
    }
  })

  it('either a payment is accepted or its hold is cancelled, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const purchase = await hold(world, buyer, await list(world, seller))
      const { base64 } = await signPayment(world, buyer, purchase)
      const [submitted, cancelled] = await Promise.allSettled([
        submitPayment(world.deps, buyer.address, purchase.purchaseId, base64),
        cancelHold(world.deps, buyer.address, purchase.purchaseId),
      ])
      expect(count([submitted, cancelled])).toBe(1)
      await untilStatus(world, purchase.purchaseId, submitted.status === 'fulfilled' ? 'settled' : 'ended')
    }
  })

  it('one of two late payments for one listing is delivered', async () => {
    const listingId = await list(world, seller)
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
