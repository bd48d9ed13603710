import { type Signature } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { type Instruction } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { prepareRefund } from '../../../src/purchases/cases/refund-case.ts'
import {
  casesOf,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  runOutOfTime,
  sendByWallet,
  signTransaction,
  type TradingWorld,
  transfer,
  untilStatus,
  type Wallet,
  watchUntil,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let otherSeller: Wallet
let buyer: Wallet
let rival: Wallet
let price = 20_000_000n

beforeAll(async () => {
  world = await openTradingWorld({ slotMillis: 20 })
  ;[seller, otherSeller] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void ([buyer, rival] = await Promise.all([world.createWallet(), world.createWallet()])))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function holdFrom(wallet: Wallet, from: Wallet): Promise<Purchase> {
  price += 1_000_000n
  return hold(world, wallet, await list(world, from, { price }), 'wallet')
}

/** A purchase that its buyer gave up, and the hold that somebody else has on its lot since. */
async function givenUp(wallet: Wallet) {
  const purchase = await hold(world, wallet, await list(world, seller, { price }))
  await cancelHold(world.deps, wallet.address, purchase.purchaseId)
  return { purchase, rivalHold: await hold(world, await world.createWallet(), purchase.listingId) }
}

const payFor = (wallet: Wallet, purchase: Purchase, to: Wallet = seller) =>
  transfer(wallet, to.address, lamports(BigInt(purchase.lamports)), [purchase.reference])

async function sendOne(payer: Wallet, instructions: Instruction[]): Promise<Signature> {
  return sendByWallet(world, await signTransaction(world, payer, instructions))
}

const confirm = (wallet: Wallet, { listingId }: Purchase, signature: Signature) =>
  confirmPurchase(world.deps, wallet.address, listingId, signature)

async function casesAbout(wallet: Wallet, signature: Signature): Promise<Case[]> {
  return (await casesOf(world, wallet.address)).filter((found) => found.signature === signature)
}

const lookAtCases = () => world.connection.pool.query('update cases set reconcile_at = now() where reconcile_at is not null')

describe('one transaction that pays for two purchases', () => {
  it('from two sellers delivers one and is a case of the other', async () => {
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

  it('is found by itself, also where its transfers name nothing', async () => {
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const plain = (to: Wallet, { lamports: amount }: Purchase) => transfer(buyer, to.address, lamports(BigInt(amount)))
    const signature = await sendOne(buyer, [plain(seller, first), plain(otherSeller, second)])
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await runOutOfTime(world, second.purchaseId)
    await untilStatus(world, second.purchaseId, 'ended')
    expect(await casesAbout(otherSeller, signature)).toMatchObject([{ purchaseId: second.purchaseId, lamports: second.lamports }])
    expect(await casesAbout(seller, signature)).toEqual([])
  })

  it('of two buyers delivers one and is a case of the other', async () => {
    const [mine, theirs] = [await holdFrom(buyer, seller), await holdFrom(rival, seller)]
    const signature = await sendOne(buyer, [payFor(buyer, mine), payFor(rival, theirs)])
    expect(await confirm(buyer, mine, signature)).toMatchObject({ settled: true })
    await expect(confirm(rival, theirs, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(rival, signature)).toMatchObject([{ purchaseId: theirs.purchaseId, lamports: theirs.lamports }])
    expect(await casesAbout(buyer, signature)).toEqual([])
  })
})

describe('one transfer that names several purchases', () => {
  it('counts for the first that it names, so that it is not delivered and paid back', async () => {
    const [first, second] = [await givenUp(buyer), await givenUp(buyer)]
    const names = [first.purchase.reference, second.purchase.reference]
    const signature = await sendOne(buyer, [transfer(buyer, seller.address, lamports(BigInt(first.purchase.lamports)), names)])
    await expect(confirm(buyer, second.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    await expect(confirm(buyer, first.purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
    expect(await casesAbout(seller, signature)).toMatchObject([{ purchaseId: first.purchase.purchaseId, kind: 'late' }])
    await cancelHold(world.deps, first.rivalHold.buyer as Wallet['address'], first.rivalHold.purchaseId)
    await watchUntil(world, async () => {
      await lookAtCases()
      expect(await readPurchase(world, first.purchase.purchaseId)).toMatchObject({ status: 'settled' })
    })
    expect(await casesAbout(seller, signature)).toMatchObject([{ status: 'delivered', refundable: false }])
  })

  it('of a wrong amount is one case, in all', async () => {
    const strays = [await givenUp(buyer), await givenUp(buyer), await givenUp(buyer)].map(({ purchase }) => purchase)
    const names = strays.map(({ reference }) => reference)
    const signature = await sendOne(buyer, [transfer(buyer, seller.address, lamports(5_000_000n), names)])
    for (const purchase of strays) await confirm(buyer, purchase, signature).catch(() => undefined)
    expect(await casesAbout(seller, signature)).toMatchObject([{ purchaseId: strays[0]?.purchaseId, lamports: '5000000' }])
  })
})

describe('many payments of less than any lot costs', () => {
  it('are ten cases, and hide no other payment', async () => {
    const { purchase } = await givenUp(buyer)
    const dust = (amount: bigint) => [transfer(buyer, seller.address, lamports(amount), [purchase.reference])]
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
  it('closes them all, each by a transfer of its own', async () => {
    const strays = [await givenUp(buyer), await givenUp(rival)]
    const wallets = [buyer, rival]
    const refunds: Instruction[] = []
    const found: Case[] = []
    for (const [index, { purchase }] of strays.entries()) {
      const wallet = wallets[index]
      if (!wallet) throw new Error('no wallet')
      const signature = await sendOne(wallet, [payFor(wallet, purchase)])
      await expect(confirm(wallet, purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
      const [stray] = await casesAbout(wallet, signature)
      if (!stray) throw new Error('no case')
      const { reference } = await prepareRefund(world.deps, seller.address, stray.caseId)
      refunds.push(transfer(seller, wallet.address, lamports(BigInt(stray.lamports)), [reference]))
      found.push(stray)
    }
    await sendOne(seller, refunds)
    await watchUntil(world, async () => {
      await lookAtCases()
      const now = await casesOf(world, seller.address)
      for (const { caseId } of found) expect(now.find((it) => it.caseId === caseId)).toMatchObject({ status: 'refunded' })
    })
  })
})
