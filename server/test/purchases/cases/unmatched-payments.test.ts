import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { type PaymentChanges, refusal, useTradingWorld } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

const holdForWallet = () => world.holdNew(world.buyer)
const confirm = ({ listingId }: Purchase, signature: string) => world.confirm(world.buyer, listingId, signature)
/** A transfer to the seller. */
const pay = (lamports: bigint, ...references: string[]) => transfer(world.buyer, world.seller.address, lamports, references)

describe('a payment that differs from the agreed one becomes a case that buyer and seller see', () => {
  it.each([
    ['one lamport less', -1n],
    ['one lamport more', 1n],
  ])('%s', async (_, difference) => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase, { lamports: BigInt(purchase.lamports) + difference })
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(signature, { kind: 'wrong', refundable: true })
    await world.expectStillHeld(purchase)
  })

  it('two transfers with its reference in one transaction', async () => {
    const purchase = await holdForWallet()
    const twice = pay(BigInt(purchase.lamports), purchase.reference)
    const signature = await world.payByWallet(world.buyer, purchase, { after: [twice] })
    await world.untilCase(signature, { kind: 'wrong' })
    await world.expectStillHeld(purchase)
  })

  it('one transaction that pays for two purchases: the first is delivered, and the other is a case', async () => {
    const [one, other] = [await holdForWallet(), await holdForWallet()]
    const second = pay(BigInt(other.lamports), other.reference)
    const signature = await world.payByWallet(world.buyer, one, { after: [second] })
    await world.untilStatus(one, 'settled')
    await world.untilCase(signature, { purchaseId: other.purchaseId, kind: 'wrong', lamports: other.lamports })
    await world.expectStillHeld(other)
  })

  it('a second payment of a settled purchase', async () => {
    const purchase = await holdForWallet()
    const first = await world.signPayment(world.buyer, purchase)
    const second = await world.signPayment(world.buyer, purchase, { version: 'legacy' })
    await world.sendByWallet(first)
    await world.sendByWallet(second)
    expect(await confirm(purchase, first.signature)).toMatchObject({ settled: true })
    await expect(confirm(purchase, second.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(second.signature, { kind: 'double' })
  })
})

describe('one transaction', () => {
  it('that pays for one listing opens no case when it is confirmed for another', async () => {
    const [paid, other] = [await holdForWallet(), await holdForWallet()]
    const signature = await world.payByWallet(world.buyer, paid, { references: [] })
    await expect(confirm(other, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await confirm(paid, signature)).toMatchObject({ settled: true })
    await expect(confirm(other, signature)).rejects.toEqual(refusal('SIGNATURE_USED'))
    expect(await world.casesAbout(signature)).toEqual([])
  })

  it('that became a case of one purchase settles no other, so it is paid back once', async () => {
    const [unreferenced, mentioned] = [await holdForWallet(), await holdForWallet()]
    const { lamports } = unreferenced
    // Carries the other's reference without paying for it.
    const mention = transfer(world.buyer, world.buyer.address, 0n, [mentioned.reference])
    const signature = await world.transact(world.buyer, pay(BigInt(lamports)), mention)
    const ofMentioned = { purchaseId: mentioned.purchaseId, kind: 'wrong', lamports } as const
    await world.untilCase(signature, ofMentioned)
    await expect(confirm(unreferenced, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await world.expectCase(signature, ofMentioned)
    expect(await world.read(unreferenced.purchaseId)).toMatchObject({ status: 'held' })
  })

  it('that carries the references of two purchases and an unreferenced transfer counts each lamport once', async () => {
    const [one, other] = [await holdForWallet(), await holdForWallet()]
    const referenced = [one, other].map(({ reference }) => pay(2_000_000n, reference))
    const signature = await world.transact(world.buyer, ...referenced, pay(5_000_000n))
    await world.reconcileUntil(async () => expect(await world.casesAbout(signature)).toHaveLength(2))
    const moved = (await world.casesAbout(signature)).reduce((sum, { lamports }) => sum + BigInt(lamports), 0n)
    expect(moved).toBe(9_000_000n)
  })

  it('that carries the reference of an ended purchase opens no case for the open one it is confirmed for', async () => {
    const ended = await world.holdNew()
    await world.cancel(world.buyer, ended)
    const open = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, ended)
    await expect(confirm(open, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await world.casesAbout(signature)).toEqual([])
    expect(await confirm(ended, signature)).toMatchObject({ settled: true })
  })

  it('without a reference pays for the open hold, not for an ended one of the same price', async () => {
    const { buyer, seller } = world
    const price = world.nextPrice()
    const ended = await world.hold(buyer, await world.list(seller, { price }))
    await world.cancel(buyer, ended)
    const open = await world.hold(buyer, await world.list(seller, { price }))
    const before = await world.appleJuice(buyer)
    const signature = await world.payByWallet(buyer, open, { references: [] })
    await expect(confirm(ended, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await world.makeBuyerScansDue()
    await world.untilStatus(open, 'settled')
    expect(await world.casesAbout(signature)).toEqual([])
    expect(await world.appleJuice(buyer)).toBe(before + open.amount)
  })
})

describe('a second payment of a settled purchase', () => {
  it.each<[string, PaymentChanges]>([
    ['with its reference', {}],
    ['without a reference, as by a client that knows only the specification', { references: [] }],
  ])('%s becomes a case, though nobody confirms it', async (_, changes) => {
    const purchase = await holdForWallet()
    await world.payByWallet(world.buyer, purchase, changes)
    await world.makeBuyerScansDue()
    await world.untilStatus(purchase, 'settled')
    const second = await world.payByWallet(world.buyer, purchase, { ...changes, version: 'legacy' })
    await world.untilCase(second, { kind: 'double', refundable: true })
    await world.reconcileOnce()
  })

  it('becomes a case although the buyer is buying again from that seller for the same price, where it cannot count', async () => {
    const price = world.nextPrice()
    const purchase = await world.hold(world.buyer, await world.list(world.seller, { price }))
    expect(await confirm(purchase, await world.payByWallet(world.buyer, purchase, { references: [] }))).toMatchObject({ settled: true })
    const unsent = world.withChain({ broadcast: async () => undefined })
    const again = await unsent.buyCoSigned(world.buyer, [{ listingId: await world.list(world.seller, { price }) }])
    const second = await world.payByWallet(world.buyer, purchase, { references: [], version: 'legacy' })
    await expect(confirm(purchase, second)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(second, { purchaseId: purchase.purchaseId, kind: 'double', refundable: true })
    expect(await world.read(again.purchaseId)).toMatchObject({ status: 'held' })
  })

  it('is one case, and pays for nothing, when the buyer buys again from that seller for the same price', async () => {
    const price = world.nextPrice()
    const { buyer, seller } = world
    const purchase = await world.hold(buyer, await world.list(seller, { price }))
    expect(await confirm(purchase, await world.payByWallet(buyer, purchase, { references: [] }))).toMatchObject({ settled: true })
    const second = await world.payByWallet(buyer, purchase, { references: [], version: 'legacy' })
    await expect(confirm(purchase, second)).rejects.toEqual(refusal('PAYMENT_CASE'))
    const again = await world.hold(buyer, await world.list(seller, { price }))
    // An endpoint that lags behind told the slot of this hold.
    await world.connection.pool.query('update purchases set held_at_slot = 0 where id = $1', [again.purchaseId])
    await expect(confirm(again, second)).rejects.toEqual(refusal('SIGNATURE_USED'))
    await world.expectStillHeld(again)
    await world.expectCase(second, { purchaseId: purchase.purchaseId, kind: 'double' })
  })
})
