import { type StudioPurchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readStudioPurchase, readStudioPurchases } from '../../../src/studio/purchases/read-studio-purchases.ts'
import {
  casesOf,
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../../purchases/trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
})
afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const events = ({ timeline }: Pick<StudioPurchase, 'timeline'>) => timeline.map(({ event }) => event)
const read = (id: string) => readStudioPurchase(world.deps, id)

async function found(signature: string): Promise<string[]> {
  const { purchases } = await readStudioPurchases(world.deps, { signature })
  return purchases.map(({ purchaseId }) => purchaseId)
}

describe('the timeline', () => {
  it('of a payment that the server sends goes from the hold to finality, and says what is awaited meanwhile', async () => {
    const { purchaseId } = await hold(world, buyer, await list(world, seller))
    expect(await read(purchaseId)).toMatchObject({ waitingFor: expect.stringMatching(/^It has waited for its buyer to pay for \d+ s\.$/) })
    const payment = await signPayment(world, buyer, await readPurchase(world, purchaseId))
    const unsent = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(unsent, buyer.address, purchaseId, payment.base64)
    const sent = await read(purchaseId)
    expect(events(sent)).toEqual(['held', 'submitted', 'sent'])
    expect(sent.waitingFor).toMatch(/^It has waited for its payment to land on the chain for \d+ s/)
    expect(await found(payment.signature)).toEqual([purchaseId])

    await untilStatus(world, purchaseId, 'settled')
    expect((await read(purchaseId)).waitingFor).toMatch(/^It has waited for its payment to be finalized for \d+ s\.$/)
    await reconcileUntil(world, async () => {
      expect(await readPurchase(world, purchaseId)).toMatchObject({ finalized: true })
    })
    const done = await read(purchaseId)
    expect(events(done)).toEqual(['held', 'submitted', 'sent', 'confirmed', 'delivered', 'finalized'])
    expect(done.waitingFor).toBeNull()
    const times = done.timeline.map(({ at }) => at)
    expect(times).toEqual(times.toSorted())
  })

  it('of a hold that its buyer cancelled ends with that', async () => {
    const { purchaseId } = await hold(world, buyer, await list(world, seller))
    await cancelHold(world.deps, buyer.address, purchaseId)
    expect(await read(purchaseId)).toMatchObject({ status: 'ended', waitingFor: null })
    expect(events(await read(purchaseId))).toEqual(['held', 'cancelled'])
  })

  it('of a payment by the wallet has no submission, and a second payment is a case', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    const first = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await untilStatus(world, purchase.purchaseId, 'settled')
    const second = await sendByWallet(world, await signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) + 1n }))
    await reconcileUntil(world, async () => {
      expect(await casesOf(world, buyer.address)).toContainEqual(expect.objectContaining({ signature: second }))
    })
    const told = await read(purchase.purchaseId)
    expect(events(told).filter((event) => event !== 'finalized')).toEqual(['held', 'confirmed', 'delivered', 'case.opened'])
    expect(told.waitingFor).toMatch(/^It has waited for the seller to refund it for \d+ s\.$/)
    expect(told.timeline.at(-1)?.detail).toContain(second)
    expect([await found(first), await found(second)]).toEqual([[purchase.purchaseId], [purchase.purchaseId]])
  })
})

describe('a signature that no table knows', () => {
  it('is looked up on the chain: a failed payment finds its purchase by the reference', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    const failing = await sendByWallet(world, await signPayment(world, buyer, purchase, { lamports: 10n ** 15n }))
    expect(await found(failing)).toEqual([purchase.purchaseId])
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })

  it('is no purchase of ours if the chain says so', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    const other = await signPayment(world, buyer, purchase, { to: buyer.address, references: [] })
    expect(await found(other.signature)).toEqual([])
    expect(await found(await sendByWallet(world, other))).toEqual([])
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })
})
