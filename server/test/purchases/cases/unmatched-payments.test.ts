import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { abandonHold, expectStillHeld } from '../reconciling.ts'
import {
  appleJuice,
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  makeBuyerScansDue,
  openTradingWorld,
  type PaymentChanges,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

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

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string) => confirmPurchase(world.deps, buyer.address, listingId, signature)
const casesAbout = async (signature: string) => (await casesOf(world, seller.address)).filter((found) => found.signature === signature)
const refusal = (code: string) => expect.objectContaining({ code })

/** Carries a purchase's reference without paying for it. */
const mention = (reference: string) => transfer(buyer, buyer.address, 0n, [reference])

describe('a payment that differs from the agreed one becomes a case that buyer and seller see', () => {
  it.each([
    ['one lamport less', -1n],
    ['one lamport more', 1n],
  ])('%s', async (_, difference) => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(
      world,
      await signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) + difference }),
    )
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    for (const wallet of [buyer.address, seller.address]) {
      expect(await casesOf(world, wallet)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature, refundable: true }))
    }
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('two transfers with its reference in one transaction', async () => {
    const purchase = await holdForWallet(await list(world, seller))
    const twice = transfer(buyer, seller.address, BigInt(purchase.lamports), [purchase.reference])
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { after: [twice] }))
    await reconcileUntil(world, async () => {
      expect(await casesOf(world, seller.address)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature }))
    })
    await expectStillHeld(world, purchase)
    await abandonHold(world, buyer, purchase)
  })

  it('one transaction that pays for two purchases: the first is delivered, and the other is a case', async () => {
    const one = await holdForWallet(await list(world, seller))
    const other = await holdForWallet(await list(world, seller))
    const second = transfer(buyer, seller.address, BigInt(other.lamports), [other.reference])
    const signature = await sendByWallet(world, await signPayment(world, buyer, one, { after: [second] }))
    await untilStatus(world, one.purchaseId, 'settled')
    await reconcileUntil(world, async () => {
      expect(await casesAbout(signature)).toMatchObject([{ purchaseId: other.purchaseId, kind: 'wrong', lamports: other.lamports }])
    })
    await expectStillHeld(world, other)
    await abandonHold(world, buyer, other)
  })

  it('a second payment of a settled purchase', async () => {
    const listingId = await list(world, seller)
    const purchase = await holdForWallet(listingId)
    const first = await signPayment(world, buyer, purchase)
    const second = await signPayment(world, buyer, purchase, { version: 'legacy' })
    await sendByWallet(world, first)
    await sendByWallet(world, second)
    expect(await confirm(listingId, first.signature)).toMatchObject({ settled: true })
    await expect(confirm(listingId, second.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await casesOf(world, buyer.address)).toContainEqual(expect.objectContaining({ kind: 'double', signature: second.signature }))
  })
})

describe('one transaction', () => {
  it('that pays for one listing opens no case when it is confirmed for another', async () => {
    const [paidListing, otherListing] = [await list(world, seller), await list(world, seller)]
    const [paid, other] = [await holdForWallet(paidListing), await holdForWallet(otherListing)]
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid, { references: [] }))
    await expect(confirm(otherListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await confirm(paidListing, signature)).toMatchObject({ settled: true })
    await expect(confirm(otherListing, signature)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
    expect(await casesAbout(signature)).toEqual([])
    await abandonHold(world, buyer, other)
  })

  it('that became a case of one purchase settles no other, so it is paid back once', async () => {
    const [unreferencedListing, mentionedListing] = [await list(world, seller), await list(world, seller)]
    const unreferenced = await holdForWallet(unreferencedListing)
    const mentioned = await holdForWallet(mentionedListing)
    const pays = transfer(buyer, seller.address, BigInt(unreferenced.lamports))
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [pays, mention(mentioned.reference)]))
    await reconcileUntil(world, async () => expect(await casesAbout(signature)).toHaveLength(1))
    await expect(confirm(unreferencedListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await casesAbout(signature)).toMatchObject([
      { purchaseId: mentioned.purchaseId, kind: 'wrong', lamports: unreferenced.lamports },
    ])
    expect(await readPurchase(world, unreferenced.purchaseId)).toMatchObject({ status: 'held' })
    for (const purchase of [unreferenced, mentioned]) await abandonHold(world, buyer, purchase)
  })

  it('that carries the references of two purchases and an unreferenced transfer counts each lamport once', async () => {
    const [one, other] = [await holdForWallet(await list(world, seller)), await holdForWallet(await list(world, seller))]
    const referenced = [one, other].map((purchase) => transfer(buyer, seller.address, 2_000_000n, [purchase.reference]))
    const unreferenced = transfer(buyer, seller.address, 5_000_000n)
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [...referenced, unreferenced]))
    await reconcileUntil(world, async () => expect(await casesAbout(signature)).toHaveLength(2))
    const moved = (await casesAbout(signature)).reduce((sum, found) => sum + BigInt(found.lamports), 0n)
    expect(moved).toBe(9_000_000n)
    for (const purchase of [one, other]) await abandonHold(world, buyer, purchase)
  })

  it('that carries the reference of an ended purchase opens no case for the open one it is confirmed for', async () => {
    const [endedListing, openListing] = [await list(world, seller), await list(world, seller)]
    const ended = await hold(world, buyer, endedListing)
    await cancelHold(world.deps, buyer.address, ended.purchaseId)
    const open = await holdForWallet(openListing)
    const signature = await sendByWallet(world, await signPayment(world, buyer, ended))
    await expect(confirm(openListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await casesAbout(signature)).toEqual([])
    expect(await confirm(endedListing, signature)).toMatchObject({ settled: true })
    await abandonHold(world, buyer, open)
  })

  it('without a reference pays for the open hold, not for an ended one of the same price', async () => {
    const price = world.nextPrice()
    const [endedListing, openListing] = [await list(world, seller, { price }), await list(world, seller, { price })]
    const ended = await hold(world, buyer, endedListing)
    await cancelHold(world.deps, buyer.address, ended.purchaseId)
    const open = await holdForWallet(openListing)
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, open, { references: [] }))
    await expect(confirm(endedListing, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    await makeBuyerScansDue(world)
    await untilStatus(world, open.purchaseId, 'settled')
    expect(await casesAbout(signature)).toEqual([])
    expect(await appleJuice(world, buyer)).toBe(before + open.amount)
  })
})

describe('a second payment of a settled purchase', () => {
  it.each<[string, PaymentChanges]>([
    ['with its reference', {}],
    ['without a reference, as by a client that knows only the specification', { references: [] }],
  ])('%s becomes a case, though nobody confirms it', async (_, changes) => {
    const purchase = await holdForWallet(await list(world, seller))
    await sendByWallet(world, await signPayment(world, buyer, purchase, changes))
    await makeBuyerScansDue(world)
    await untilStatus(world, purchase.purchaseId, 'settled')
    const second = await signPayment(world, buyer, purchase, { ...changes, version: 'legacy' })
    await sendByWallet(world, second)
    await reconcileUntil(world, async () => {
      expect(await casesAbout(second.signature)).toMatchObject([{ kind: 'double', refundable: true }])
    })
    await reconcileOnce(world.deps)
  })
})
