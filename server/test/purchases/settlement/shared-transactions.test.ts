import { type Signature } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { type Instruction } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { settlePurchase } from '../../../src/purchases/settlement/settlement-store.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund } from '../../../src/purchases/cases/refund-case.ts'
import { closePaymentWindow } from '../reconciling.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

let world: TradingWorld
let seller: Wallet
let otherSeller: Wallet
let buyer: Wallet
let rival: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, otherSeller] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void ([buyer, rival] = await Promise.all([world.createWallet(), world.createWallet()])))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function holdFrom(wallet: Wallet, from: Wallet): Promise<Purchase> {
  return hold(world, wallet, await list(world, from), 'wallet')
}

/** A cancelled purchase, always of the same price, and the hold that someone else has placed on its listing since. */
async function cancelledPurchase(wallet: Wallet) {
  const purchase = await hold(world, wallet, await list(world, seller, { price: 20_000_000n }))
  await cancelHold(world.deps, wallet.address, purchase.purchaseId)
  return { purchase, rivalHold: await hold(world, await world.createWallet(), purchase.listingId) }
}

const payFor = (wallet: Wallet, purchase: Purchase, to: Wallet = seller) =>
  transfer(wallet, to.address, BigInt(purchase.lamports), [purchase.reference])

async function sendOne(payer: Wallet, instructions: Instruction[]): Promise<Signature> {
  return sendByWallet(world, await signTransaction(world, payer, instructions))
}

const confirm = (wallet: Wallet, { listingId }: Purchase, signature: Signature) =>
  confirmPurchase(world.deps, wallet.address, listingId, signature)

async function casesAbout(wallet: Wallet, signature: Signature): Promise<Case[]> {
  return (await casesOf(world, wallet.address)).filter((found) => found.signature === signature)
}

describe('one transaction that pays for two purchases', () => {
  it('from two sellers delivers one and becomes a case of the other', async () => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const signature = await sendOne(buyer, [payFor(buyer, first), payFor(buyer, second, otherSeller)])
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await expect(confirm(buyer, second, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    for (const wallet of [buyer, otherSeller]) {
      expect(await casesAbout(wallet, signature)).toMatchObject([
        { purchaseId: second.purchaseId, lamports: second.lamports, refundable: true },
      ])
    }
    expect(await casesAbout(seller, signature)).toEqual([])
  })

  it.each([
    ['from two sellers', () => otherSeller],
    ['from one seller', () => seller],
  ])('%s delivers the one that it names first, whichever is asked for first', async (_, secondSeller) => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, secondSeller())]
    const signature = await sendOne(buyer, [payFor(buyer, first), payFor(buyer, second, secondSeller())])
    const refused = { code: 'PAYMENT_CASE', message: expect.stringContaining('its transaction paid for another purchase first') as string }
    await expect(confirm(buyer, second, signature)).rejects.toMatchObject(refused)
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await expect(confirm(buyer, second, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(buyer, signature)).toMatchObject([{ purchaseId: second.purchaseId, kind: 'wrong', lamports: second.lamports }])
  })

  it('is no violation in the audit if an earlier server delivered the one that it names second', async () => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const signature = await sendOne(buyer, [payFor(buyer, first), payFor(buyer, second, otherSeller)])
    const landed = await world.chain.transaction(signature)
    if (!landed) throw new Error('it has landed')
    const payment = { signature, slot: landed.slot, transactionBytes: Buffer.from(landed.bytes), expiryHeight: 1n, referenced: true }
    expect(await settlePurchase(world.database, second.purchaseId, payment)).toMatchObject({ outcome: 'settled' })
    await expectAllAddsUp(world)
    await expect(confirm(buyer, first, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
  })

  it('in full and for the other too little delivers the first named that is paid in full', async () => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, seller)]
    const tooLittle = transfer(buyer, seller.address, BigInt(first.lamports) - 1n, [first.reference])
    const signature = await sendOne(buyer, [tooLittle, payFor(buyer, second)])
    await expect(confirm(buyer, first, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await confirm(buyer, second, signature)).toMatchObject({ settled: true })
    const received = (BigInt(first.lamports) - 1n).toString()
    expect(await casesAbout(seller, signature)).toMatchObject([{ purchaseId: first.purchaseId, kind: 'wrong', lamports: received }])
  })

  it('without a reference on one of them delivers the one that it names', async () => {
    const [bare, named] = [await holdFrom(buyer, otherSeller), await holdFrom(buyer, seller)]
    const signature = await sendOne(buyer, [transfer(buyer, otherSeller.address, BigInt(bare.lamports)), payFor(buyer, named)])
    await closePaymentWindow(world, bare)
    await untilStatus(world, bare.purchaseId, 'ended')
    expect(await confirm(buyer, named, signature)).toMatchObject({ settled: true })
    expect(await casesAbout(buyer, signature)).toMatchObject([{ purchaseId: bare.purchaseId, kind: 'wrong', lamports: bare.lamports }])
  })

  it('is found by reconciliation, even if its transfers carry no reference', async () => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const unreferenced = (to: Wallet, { lamports: amount }: Purchase) => transfer(buyer, to.address, BigInt(amount))
    const signature = await sendOne(buyer, [unreferenced(seller, first), unreferenced(otherSeller, second)])
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await closePaymentWindow(world, second)
    await untilStatus(world, second.purchaseId, 'ended')
    expect(await casesAbout(otherSeller, signature)).toMatchObject([{ purchaseId: second.purchaseId, lamports: second.lamports }])
    expect(await casesAbout(seller, signature)).toEqual([])
  })

  it('of two buyers delivers one and becomes a case of the other', async () => {
    const [mine, theirs] = [await holdFrom(buyer, seller), await holdFrom(rival, seller)]
    const signature = await sendOne(buyer, [payFor(buyer, mine), payFor(rival, theirs)])
    expect(await confirm(buyer, mine, signature)).toMatchObject({ settled: true })
    await expect(confirm(rival, theirs, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(rival, signature)).toMatchObject([{ purchaseId: theirs.purchaseId, lamports: theirs.lamports }])
    expect(await casesAbout(buyer, signature)).toEqual([])
  })
})

describe('one transfer that carries the references of several purchases', () => {
  it('counts for the first of them alone, so it is not both delivered and paid back', async () => {
    const [first, second] = [await cancelledPurchase(buyer), await cancelledPurchase(buyer)]
    const references = [first.purchase.reference, second.purchase.reference]
    const signature = await sendOne(buyer, [transfer(buyer, seller.address, BigInt(first.purchase.lamports), references)])
    await expect(confirm(buyer, second.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    await expect(confirm(buyer, first.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(seller, signature)).toMatchObject([{ purchaseId: first.purchase.purchaseId, kind: 'late' }])
    await cancelHold(world.deps, first.rivalHold.buyer as Wallet['address'], first.rivalHold.purchaseId)
    await reconcileUntil(world, async () => {
      expect(await readPurchase(world, first.purchase.purchaseId)).toMatchObject({ status: 'settled' })
    })
    expect(await casesAbout(seller, signature)).toMatchObject([{ status: 'delivered', refundable: false }])
  })

  it('is one case if its amount is wrong', async () => {
    const purchases = [await cancelledPurchase(buyer), await cancelledPurchase(buyer), await cancelledPurchase(buyer)].map(
      ({ purchase }) => purchase,
    )
    const references = purchases.map(({ reference }) => reference)
    const signature = await sendOne(buyer, [transfer(buyer, seller.address, 5_000_000n, references)])
    for (const purchase of purchases) await confirm(buyer, purchase, signature).catch(() => undefined)
    expect(await casesAbout(seller, signature)).toMatchObject([{ purchaseId: purchases[0]?.purchaseId, lamports: '5000000' }])
  })
})

describe('many payments below the lowest price', () => {
  it('open ten cases at most, and hide no other payment', async () => {
    const { purchase } = await cancelledPurchase(buyer)
    const dust = (amount: bigint) => [transfer(buyer, seller.address, amount, [purchase.reference])]
    for (let n = 1n; n <= 10n; n++) {
      await expect(confirm(buyer, purchase, await sendOne(buyer, dust(n)))).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    }
    const eleventh = await sendOne(buyer, dust(11n))
    await expect(confirm(buyer, purchase, eleventh)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await casesAbout(buyer, eleventh)).toEqual([])
    const late = await sendOne(buyer, [payFor(buyer, purchase)])
    await expect(confirm(buyer, purchase, late)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(buyer, late)).toMatchObject([{ kind: 'late', lamports: purchase.lamports }])
  })
})

describe('one transaction that pays back several cases', () => {
  it('closes each of them, by a transfer of its own', async () => {
    const cancelled = [await cancelledPurchase(buyer), await cancelledPurchase(rival)]
    const wallets = [buyer, rival]
    const refunds: Instruction[] = []
    const found: Case[] = []
    for (const [index, { purchase }] of cancelled.entries()) {
      const wallet = wallets[index]
      if (!wallet) throw new Error('no wallet')
      const signature = await sendOne(wallet, [payFor(wallet, purchase)])
      await expect(confirm(wallet, purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
      const [unmatched] = await casesAbout(wallet, signature)
      if (!unmatched) throw new Error('no case')
      const { reference } = await prepareRefund(world.deps, seller.address, unmatched.caseId)
      refunds.push(transfer(seller, wallet.address, BigInt(unmatched.lamports), [reference]))
      found.push(unmatched)
    }
    await sendOne(seller, refunds)
    await reconcileUntil(world, async () => {
      const now = await casesOf(world, seller.address)
      for (const { caseId } of found) expect(now.find((it) => it.caseId === caseId)).toMatchObject({ status: 'refunded' })
    })
  })
})
