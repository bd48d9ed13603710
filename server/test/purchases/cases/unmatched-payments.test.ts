import { describe, expect, it } from 'vitest'

import { type PaymentChanges, refusal, useTradingWorld } from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

const world = useTradingWorld()

/** Carries a purchase's reference without paying for it. */
const mention = (reference: string) => transfer(world.buyer, world.buyer.address, 0n, [reference])

describe('a payment that differs from the agreed one becomes a case that buyer and seller see', () => {
  it.each([
    ['one lamport less', -1n],
    ['one lamport more', 1n],
  ])('%s', async (_, difference) => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId, 'wallet')
    const signature = await world.sendByWallet(
      await world.signPayment(world.buyer, purchase, { lamports: BigInt(purchase.lamports) + difference }),
    )
    await expect(world.confirm(world.buyer, listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    for (const wallet of [world.buyer, world.seller]) {
      expect(await world.casesOf(wallet)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature, refundable: true }))
    }
    await world.expectStillHeld(purchase)
    await world.abandonHold(world.buyer, purchase)
  })

  it('two transfers with its reference in one transaction', async () => {
    const purchase = await world.holdNew(world.buyer, 'wallet')
    const twice = transfer(world.buyer, world.seller.address, BigInt(purchase.lamports), [purchase.reference])
    const signature = await world.sendByWallet(await world.signPayment(world.buyer, purchase, { after: [twice] }))
    await world.reconcileUntil(async () => {
      expect(await world.casesOf(world.seller)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature }))
    })
    await world.expectStillHeld(purchase)
    await world.abandonHold(world.buyer, purchase)
  })

  it('one transaction that pays for two purchases: the first is delivered, and the other is a case', async () => {
    const one = await world.holdNew(world.buyer, 'wallet')
    const other = await world.holdNew(world.buyer, 'wallet')
    const second = transfer(world.buyer, world.seller.address, BigInt(other.lamports), [other.reference])
    const signature = await world.sendByWallet(await world.signPayment(world.buyer, one, { after: [second] }))
    await world.untilStatus(one, 'settled')
    await world.reconcileUntil(async () => {
      expect(await world.casesAbout(signature)).toMatchObject([{ purchaseId: other.purchaseId, kind: 'wrong', lamports: other.lamports }])
    })
    await world.expectStillHeld(other)
    await world.abandonHold(world.buyer, other)
  })

  it('a second payment of a settled purchase', async () => {
    const listingId = await world.list()
    const purchase = await world.hold(world.buyer, listingId, 'wallet')
    const first = await world.signPayment(world.buyer, purchase)
    const second = await world.signPayment(world.buyer, purchase, { version: 'legacy' })
    await world.sendByWallet(first)
    await world.sendByWallet(second)
    expect(await world.confirm(world.buyer, listingId, first.signature)).toMatchObject({ settled: true })
    await expect(world.confirm(world.buyer, listingId, second.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await world.casesOf(world.buyer)).toContainEqual(expect.objectContaining({ kind: 'double', signature: second.signature }))
  })
})

describe('one transaction', () => {
  it('that pays for one listing opens no case when it is confirmed for another', async () => {
    const [paidListing, otherListing] = [await world.list(), await world.list()]
    const [paid, other] = [await world.hold(world.buyer, paidListing, 'wallet'), await world.hold(world.buyer, otherListing, 'wallet')]
    const signature = await world.sendByWallet(await world.signPayment(world.buyer, paid, { references: [] }))
    await expect(world.confirm(world.buyer, otherListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await world.confirm(world.buyer, paidListing, signature)).toMatchObject({ settled: true })
    await expect(world.confirm(world.buyer, otherListing, signature)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
    expect(await world.casesAbout(signature)).toEqual([])
    await world.abandonHold(world.buyer, other)
  })

  it('that became a case of one purchase settles no other, so it is paid back once', async () => {
    const [unreferencedListing, mentionedListing] = [await world.list(), await world.list()]
    const unreferenced = await world.hold(world.buyer, unreferencedListing, 'wallet')
    const mentioned = await world.hold(world.buyer, mentionedListing, 'wallet')
    const pays = transfer(world.buyer, world.seller.address, BigInt(unreferenced.lamports))
    const signature = await world.sendByWallet(await signTransaction(world, world.buyer, [pays, mention(mentioned.reference)]))
    await world.reconcileUntil(async () => expect(await world.casesAbout(signature)).toHaveLength(1))
    await expect(world.confirm(world.buyer, unreferencedListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await world.casesAbout(signature)).toMatchObject([
      { purchaseId: mentioned.purchaseId, kind: 'wrong', lamports: unreferenced.lamports },
    ])
    expect(await world.read(unreferenced.purchaseId)).toMatchObject({ status: 'held' })
    for (const purchase of [unreferenced, mentioned]) await world.abandonHold(world.buyer, purchase)
  })

  it('that carries the references of two purchases and an unreferenced transfer counts each lamport once', async () => {
    const [one, other] = [await world.holdNew(world.buyer, 'wallet'), await world.holdNew(world.buyer, 'wallet')]
    const referenced = [one, other].map((purchase) => transfer(world.buyer, world.seller.address, 2_000_000n, [purchase.reference]))
    const unreferenced = transfer(world.buyer, world.seller.address, 5_000_000n)
    const signature = await world.sendByWallet(await signTransaction(world, world.buyer, [...referenced, unreferenced]))
    await world.reconcileUntil(async () => expect(await world.casesAbout(signature)).toHaveLength(2))
    const moved = (await world.casesAbout(signature)).reduce((sum, found) => sum + BigInt(found.lamports), 0n)
    expect(moved).toBe(9_000_000n)
    for (const purchase of [one, other]) await world.abandonHold(world.buyer, purchase)
  })

  it('that carries the reference of an ended purchase opens no case for the open one it is confirmed for', async () => {
    const [endedListing, openListing] = [await world.list(), await world.list()]
    const ended = await world.hold(world.buyer, endedListing)
    await world.cancel(world.buyer, ended)
    const open = await world.hold(world.buyer, openListing, 'wallet')
    const signature = await world.sendByWallet(await world.signPayment(world.buyer, ended))
    await expect(world.confirm(world.buyer, openListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await world.casesAbout(signature)).toEqual([])
    expect(await world.confirm(world.buyer, endedListing, signature)).toMatchObject({ settled: true })
    await world.abandonHold(world.buyer, open)
  })

  it('without a reference pays for the open hold, not for an ended one of the same price', async () => {
    const price = world.nextPrice()
    const [endedListing, openListing] = [await world.list(world.seller, { price }), await world.list(world.seller, { price })]
    const ended = await world.hold(world.buyer, endedListing)
    await world.cancel(world.buyer, ended)
    const open = await world.hold(world.buyer, openListing, 'wallet')
    const before = await world.appleJuice(world.buyer)
    const signature = await world.sendByWallet(await world.signPayment(world.buyer, open, { references: [] }))
    await expect(world.confirm(world.buyer, endedListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    await world.makeBuyerScansDue()
    await world.untilStatus(open, 'settled')
    expect(await world.casesAbout(signature)).toEqual([])
    expect(await world.appleJuice(world.buyer)).toBe(before + open.amount)
  })
})

describe('a second payment of a settled purchase', () => {
  it.each<[string, PaymentChanges]>([
    ['with its reference', {}],
    ['without a reference, as by a client that knows only the specification', { references: [] }],
  ])('%s becomes a case, though nobody confirms it', async (_, changes) => {
    const purchase = await world.holdNew(world.buyer, 'wallet')
    await world.sendByWallet(await world.signPayment(world.buyer, purchase, changes))
    await world.makeBuyerScansDue()
    await world.untilStatus(purchase, 'settled')
    const second = await world.signPayment(world.buyer, purchase, { ...changes, version: 'legacy' })
    await world.sendByWallet(second)
    await world.reconcileUntil(async () => {
      expect(await world.casesAbout(second.signature)).toMatchObject([{ kind: 'double', refundable: true }])
    })
    await world.reconcileOnce()
  })
})
