import { type StudioPurchase } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'
import { readStudioPurchase, readStudioPurchases } from '../../../src/studio/players/read-player.ts'
import { useTradingWorld } from '../../purchases/trading-world.ts'

const world = useTradingWorld()

const events = ({ timeline }: Pick<StudioPurchase, 'timeline'>) => timeline.map(({ event }) => event)
const read = (id: string) => readStudioPurchase(world.deps, id)

async function found(signature: string): Promise<string[]> {
  const { purchases } = await readStudioPurchases(world.deps, { signature })
  return purchases.map(({ purchaseId }) => purchaseId)
}

describe('the timeline', () => {
  it('of a payment that the server sends goes from the hold to finality, and says what is awaited meanwhile', async () => {
    const purchase = await world.holdNew()
    const { purchaseId } = purchase
    expect(await read(purchaseId)).toMatchObject({ waitingFor: expect.stringMatching(/^It has waited for its buyer to pay for \d+ s\.$/) })
    const payment = await world.signPayment(world.buyer, purchase)
    const unsent = world.seenWith({ deps: world.chainBut({ broadcast: async () => undefined }) })
    await unsent.submit(world.buyer, purchase, payment)
    const sent = await read(purchaseId)
    expect(events(sent)).toEqual(['held', 'submitted', 'sent'])
    expect(sent.waitingFor).toMatch(/^It has waited for its payment to land on the chain for \d+ s/)
    expect(await found(payment.signature)).toEqual([purchaseId])

    await world.untilStatus(purchase, 'settled')
    expect((await read(purchaseId)).waitingFor).toMatch(/^It has waited for its payment to be finalized for \d+ s\.$/)
    await world.reconcileUntil(async () => {
      expect(await world.read(purchaseId)).toMatchObject({ finalized: true })
    })
    const done = await read(purchaseId)
    expect(events(done)).toEqual(['held', 'submitted', 'sent', 'confirmed', 'delivered', 'finalized'])
    expect(done.waitingFor).toBeNull()
    const times = done.timeline.map(({ at }) => at)
    expect(times).toEqual(times.toSorted())
  })

  it('of a hold that its buyer cancelled ends with that', async () => {
    const { purchaseId } = await world.holdNew()
    await world.cancel(world.buyer, { purchaseId })
    expect(await read(purchaseId)).toMatchObject({ status: 'ended', waitingFor: null })
    expect(events(await read(purchaseId))).toEqual(['held', 'cancelled'])
  })

  it('of a payment by the wallet has no submission, and a second payment is a case', async () => {
    const purchase = await world.holdNew(world.buyer)
    const first = await world.payByWallet(world.buyer, purchase)
    await world.untilStatus(purchase, 'settled')
    const second = await world.payByWallet(world.buyer, purchase, { lamports: BigInt(purchase.lamports) + 1n })
    await world.reconcileUntil(async () => {
      expect(await world.casesOf(world.buyer)).toContainEqual(expect.objectContaining({ signature: second }))
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
    const purchase = await world.holdNew(world.buyer)
    const failing = await world.payByWallet(world.buyer, purchase, { lamports: 10n ** 15n })
    expect(await found(failing)).toEqual([purchase.purchaseId])
    await world.cancel(world.buyer, purchase)
  })

  it('is no purchase of ours if the chain says so', async () => {
    const purchase = await world.holdNew(world.buyer)
    const other = await world.signPayment(world.buyer, purchase, { to: world.buyer.address, references: [] })
    expect(await found(other.signature)).toEqual([])
    expect(await found(await world.sendByWallet(other))).toEqual([])
    await world.cancel(world.buyer, purchase)
  })
})
