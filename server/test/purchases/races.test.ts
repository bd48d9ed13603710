import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { refusal, useTradingWorld, type Wallet } from './trading-world.ts'

const world = useTradingWorld()

/** Retries when so many hold at once that no database connection is free in time. */
async function retryHold(wallet: Wallet, listingId: string): Promise<Purchase> {
  for (;;) {
    try {
      return await world.hold(wallet, listingId)
    } catch (error) {
      if (error instanceof Failure) throw error
    }
  }
}

const count = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.filter((outcome) => outcome.status === 'fulfilled').length

/** One got the listing, and each of the others heard why not. */
function expectOne(outcomes: PromiseSettledResult<unknown>[]): void {
  expect(count(outcomes)).toBe(1)
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  expect(lost).toEqual(Array.from({ length: outcomes.length - 1 }, () => refusal('LISTING_HELD')))
}

describe('at once', () => {
  it('20 buyers get one hold of a listing', async () => {
    const listingId = await world.list()
    const buyers = await Promise.all(Array.from({ length: 20 }, () => world.createWallet()))
    const outcomes = await Promise.allSettled(buyers.map((wallet) => world.hold(wallet, listingId)))
    expectOne(outcomes)
  })

  it('20 requests of one buyer get the same hold', async () => {
    const listingId = await world.list()
    const holds = await Promise.all(Array.from({ length: 20 }, () => world.hold(world.buyer, listingId)))
    expect(new Set(holds.map((held) => held.purchaseId)).size).toBe(1)
    await world.cancel(world.buyer, holds[0]!)
  })

  it('20 confirmations deliver once', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId)
    const before = await world.appleJuice(world.buyer)
    const signature = await world.payByWallet(world.buyer, purchase)
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.confirm(world.buyer, listingId, signature)))
    expect(answers.every((answer) => answer.settled)).toBe(true)
    expect(await world.appleJuice(world.buyer)).toBe(before + purchase.amount)
  })

  it('a wallet gets at most three holds', async () => {
    const listingIds = await Promise.all(Array.from({ length: 8 }, () => world.list()))
    const outcomes = await Promise.allSettled(listingIds.map((listingId) => world.hold(world.buyer, listingId)))
    expect(count(outcomes)).toBe(3)
  })

  it('200 buyers get one hold of a listing', { timeout: 120_000 }, async () => {
    const listingId = await world.list()
    const buyers: Wallet[] = []
    while (buyers.length < 200) buyers.push(...(await Promise.all(Array.from({ length: 25 }, () => world.createWallet()))))
    const outcomes = await Promise.allSettled(buyers.map((buyer) => retryHold(buyer, listingId)))
    expectOne(outcomes)
  })

  it('a listing is either removed or held, never both', async () => {
    for (let round = 0; round < 15; round++) {
      const listingId = await world.list()
      const [removed, held] = await Promise.allSettled([world.remove(listingId), world.hold(world.buyer, listingId)])
      expect(count([removed, held])).toBe(1)
      if (held.status === 'fulfilled') await world.cancel(world.buyer, held.value)
    }
  })

  it('either a payment is accepted or its hold is cancelled, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const purchase = await world.holdNew()
      const payment = await world.signPayment(world.buyer, purchase)
      const [submitted, cancelled] = await Promise.allSettled([
        world.submit(world.buyer, purchase, payment),
        world.cancel(world.buyer, purchase),
      ])
      expect(count([submitted, cancelled])).toBe(1)
      await world.untilStatus(purchase, submitted.status === 'fulfilled' ? 'settled' : 'ended')
    }
  })

  it('one of two late payments for one listing is delivered', async () => {
    const listingId = await world.list()
    const first = await world.hold(world.buyer, listingId)
    await world.cancel(world.buyer, first)
    const late = await world.payByWallet(world.buyer, first)
    const second = await world.hold(world.rival, listingId)
    await world.cancel(world.rival, second)
    const later = await world.payByWallet(world.rival, second)
    const outcomes = await Promise.allSettled([world.confirm(world.buyer, listingId, late), world.confirm(world.rival, listingId, later)])
    expect(count(outcomes)).toBe(1)
    expect([await world.appleJuice(world.buyer), await world.appleJuice(world.rival)].toSorted((a, b) => a - b)).toEqual([1_000, 1_010])
  })
})
