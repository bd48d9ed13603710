import { lamports } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import {
  casesOf,
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  type PaymentChanges,
  readPurchase,
  sendByWallet,
  signPayment,
  signTransaction,
  type TradingWorld,
  transfer,
  untilStatus,
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

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

async function abandon({ purchaseId }: Purchase): Promise<void> {
  await world.connection.pool.query('update purchases set server_sends = true where id = $1', [purchaseId])
  await cancelHold(world.deps, buyer.address, purchaseId)
}

/** Names a purchase without paying for it. */
const mention = (reference: string) => transfer(buyer, buyer.address, lamports(0n), [reference])

const casesAbout = async (signature: string) => (await casesOf(world, seller.address)).filter((found) => found.signature === signature)
const confirm = (listingId: string, signature: string) => confirmPurchase(world.deps, buyer.address, listingId, signature)

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const refusal = (code: string) => expect.objectContaining({ code })

async function expectUnpaid(purchase: Purchase): Promise<void> {
  await reconcileOnce(world.deps)
  expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
}

describe('a payment that is off becomes a case that both sides see', () => {
  it.each([
    ['one lamport less', -1n],
    ['one lamport more', 1n],
  ])('%s', async (_, difference) => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(
      world,
      await signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) + difference }),
    )
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    for (const wallet of [buyer.address, seller.address]) {
      expect(await casesOf(world, wallet)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature, refundable: true }))
    }
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('two transfers in one transaction', async () => {
    const purchase = await holdForWallet(await listAnew())
    const twice = transfer(buyer, seller.address, lamports(price), [purchase.reference])
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { after: [twice] }))
    await watchUntil(world, async () => {
      expect(await casesOf(world, seller.address)).toContainEqual(expect.objectContaining({ kind: 'wrong', signature }))
    })
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('one transaction for two purchases settles neither and opens a case for each', async () => {
    const one = await holdForWallet(await listAnew())
    const other = await holdForWallet(await listAnew())
    const second = transfer(buyer, seller.address, lamports(BigInt(other.lamports)), [other.reference])
    const signature = await sendByWallet(world, await signPayment(world, buyer, one, { after: [second] }))
    await watchUntil(world, async () => {
      const cases = (await casesOf(world, buyer.address)).filter((found) => found.signature === signature)
      expect(cases.map((found) => found.lamports).toSorted()).toEqual([one.lamports, other.lamports].toSorted())
    })
    for (const purchase of [one, other]) {
      await expectUnpaid(purchase)
      await abandon(purchase)
    }
  })

  it('a second payment of a settled purchase', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const first = await signPayment(world, buyer, purchase)
    const second = await signPayment(world, buyer, purchase, { legacy: true })
    await sendByWallet(world, first)
    await sendByWallet(world, second)
    expect(await confirm(listingId, first.signature)).toMatchObject({ settled: true })
    await expect(confirm(listingId, second.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await casesOf(world, buyer.address)).toContainEqual(expect.objectContaining({ kind: 'double', signature: second.signature }))
  })
})

describe('one transaction', () => {
  it('that pays for one lot opens no case for another lot it is claimed for', async () => {
    const [paidLot, otherLot] = [await listAnew(), await listAnew()]
    const [paid, other] = [await hold(world, buyer, paidLot, 'wallet'), await hold(world, buyer, otherLot, 'wallet')]
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid, { references: [] }))
    await expect(confirm(otherLot, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await confirm(paidLot, signature)).toMatchObject({ settled: true })
    await expect(confirm(otherLot, signature)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
    expect(await casesAbout(signature)).toEqual([])
    await abandon(other)
  })

  it('that became a case of one purchase pays for no other, and is paid back once', async () => {
    const [plainLot, namedLot] = [await listAnew(), await listAnew()]
    const [plain, named] = [await hold(world, buyer, plainLot, 'wallet'), await hold(world, buyer, namedLot, 'wallet')]
    const pays = transfer(buyer, seller.address, lamports(BigInt(plain.lamports)))
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [pays, mention(named.reference)]))
    await watchUntil(world, async () => expect(await casesAbout(signature)).toHaveLength(1))
    await expect(confirm(plainLot, signature)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
    expect(await casesAbout(signature)).toMatchObject([{ purchaseId: named.purchaseId, kind: 'wrong', lamports: plain.lamports }])
    expect(await readPurchase(world, plain.purchaseId)).toMatchObject({ status: 'held' })
    for (const purchase of [plain, named]) await abandon(purchase)
  })

  it('that names two purchases and pays besides is counted once in all', async () => {
    const [one, other] = [await hold(world, buyer, await listAnew(), 'wallet'), await hold(world, buyer, await listAnew(), 'wallet')]
    const named = [one, other].map((purchase) => transfer(buyer, seller.address, lamports(2_000_000n), [purchase.reference]))
    const besides = transfer(buyer, seller.address, lamports(5_000_000n))
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [...named, besides]))
    await watchUntil(world, async () => expect(await casesAbout(signature)).toHaveLength(2))
    const moved = (await casesAbout(signature)).reduce((sum, found) => sum + BigInt(found.lamports), 0n)
    expect(moved).toBe(9_000_000n)
    for (const purchase of [one, other]) await abandon(purchase)
  })

  it('that names another purchase is no case of the one it is claimed for, also where that other one ended', async () => {
    const [endedLot, openLot] = [await listAnew(), await listAnew()]
    const ended = await hold(world, buyer, endedLot)
    await cancelHold(world.deps, buyer.address, ended.purchaseId)
    const open = await hold(world, buyer, openLot, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, ended))
    await expect(confirm(openLot, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await casesAbout(signature)).toEqual([])
    expect(await confirm(endedLot, signature)).toMatchObject({ settled: true })
    await abandon(open)
  })

  it('without a reference pays for the open hold, not for one of the same price that ended', async () => {
    price += 1_000_000n
    const [endedLot, openLot] = [await list(world, seller, { price }), await list(world, seller, { price })]
    const ended = await hold(world, buyer, endedLot)
    await cancelHold(world.deps, buyer.address, ended.purchaseId)
    const open = await hold(world, buyer, openLot, 'wallet')
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, open, { references: [] }))
    await expect(confirm(endedLot, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    await untilStatus(world, open.purchaseId, 'settled')
    expect(await casesAbout(signature)).toEqual([])
    expect(await appleJuice(world, buyer)).toBe(before + open.amount)
  })
})

describe('a second payment of a settled purchase', () => {
  it.each<[string, PaymentChanges]>([
    ['that names it', {}],
    ['that names nothing, as of a client that knows only the specification', { references: [] }],
  ])('%s becomes a case without anybody telling of it', async (_, changes) => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase, changes))
    await untilStatus(world, purchase.purchaseId, 'settled')
    const second = await signPayment(world, buyer, purchase, { ...changes, legacy: true })
    await sendByWallet(world, second)
    await watchUntil(world, async () => {
      await world.connection.pool.query('update purchases set reconcile_at = now() where reconcile_at is not null')
      expect(await casesAbout(second.signature)).toMatchObject([{ kind: 'double', refundable: true }])
    })
    await reconcileOnce(world.deps)
  })
})
