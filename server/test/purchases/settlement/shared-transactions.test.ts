import { type Signature } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { type Instruction } from '@solana/kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { settlePurchase } from '../../../src/purchases/settlement/settlement-store.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()
let otherSeller: Wallet
beforeAll(async () => void (otherSeller = await world.createWallet()))

const holdFrom = async (wallet: Wallet, seller: Wallet) => world.hold(wallet, await world.list(seller))

/** A cancelled purchase, always of the same price, whose listing someone else has held since. */
async function cancelledPurchase(wallet: Wallet) {
  const purchase = await world.hold(wallet, await world.list(world.seller, { price: 20_000_000n }))
  await world.cancel(wallet, purchase)
  const holder = await world.createWallet()
  const otherHold = await world.hold(holder, purchase.listingId)
  return { purchase, freeListing: () => world.cancel(holder, otherHold) }
}

const payFor = (wallet: Wallet, purchase: Purchase, to: Wallet = world.seller) =>
  transfer(wallet, to.address, BigInt(purchase.lamports), [purchase.reference])
const confirm = (wallet: Wallet, { listingId }: Purchase, signature: Signature) => world.confirm(wallet, listingId, signature)
const expectCase = (wallet: Wallet, purchase: Purchase, signature: Signature) =>
  expect(confirm(wallet, purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))

describe('one transaction that pays for two purchases', () => {
  it('from two sellers delivers one and becomes a case of the other', async () => {
    const { buyer, seller } = world
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const signature = await world.transact(buyer, payFor(buyer, first), payFor(buyer, second, otherSeller))
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await expectCase(buyer, second, signature)
    const { purchaseId, lamports } = second
    for (const wallet of [buyer, otherSeller])
      expect(await world.casesAbout(signature, wallet)).toMatchObject([{ purchaseId, lamports, refundable: true }])
    expect(await world.casesAbout(signature)).toEqual([])
  })

  it.each([
    ['from two sellers', () => otherSeller],
    ['from one seller', () => world.seller],
  ])('%s delivers the one that it names first, whichever is asked for first', async (_, secondSeller) => {
    const { buyer } = world
    const [first, second] = [await holdFrom(buyer, world.seller), await holdFrom(buyer, secondSeller())]
    const signature = await world.transact(buyer, payFor(buyer, first), payFor(buyer, second, secondSeller()))
    const refused = { code: 'PAYMENT_CASE', message: expect.stringContaining('its transaction paid for another purchase first') as string }
    await expect(confirm(buyer, second, signature)).rejects.toMatchObject(refused)
    expect(await confirm(buyer, first, signature)).toMatchObject({ settled: true })
    await expectCase(buyer, second, signature)
    const { purchaseId, lamports } = second
    expect(await world.casesAbout(signature, buyer)).toMatchObject([{ purchaseId, kind: 'wrong', lamports }])
  })

  it('is no violation in the audit if an earlier server delivered the one that it names second', async () => {
    const { buyer, seller } = world
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const signature = await world.transact(buyer, payFor(buyer, first), payFor(buyer, second, otherSeller))
    const landed = (await world.chain.transaction(signature))!
    const payment = { signature, slot: landed.slot, transactionBytes: Buffer.from(landed.bytes), expiryHeight: 1n, referenced: true }
    expect(await settlePurchase(world.database, second.purchaseId, payment)).toMatchObject({ outcome: 'settled' })
    await world.expectAllAddsUp()
    await expectCase(buyer, first, signature)
  })

  it('in full and for the other too little delivers the first named that is paid in full', async () => {
    const { buyer, seller } = world
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, seller)]
    const tooLittle = BigInt(first.lamports) - 1n
    const signature = await world.transact(buyer, transfer(buyer, seller.address, tooLittle, [first.reference]), payFor(buyer, second))
    await expectCase(buyer, first, signature)
    expect(await confirm(buyer, second, signature)).toMatchObject({ settled: true })
    await world.expectCase(signature, { purchaseId: first.purchaseId, kind: 'wrong', lamports: tooLittle.toString() })
  })

  it('without a reference on one of them delivers the one that it names, and is a case of the other if its buyer says so', async () => {
    const { buyer, seller } = world
    const [bare, named] = [await holdFrom(buyer, otherSeller), await holdFrom(buyer, seller)]
    const unnamed = transfer(buyer, otherSeller.address, BigInt(bare.lamports))
    const signature = await world.transact(buyer, unnamed, payFor(buyer, named))
    await world.lapse(bare)
    expect(await confirm(buyer, named, signature)).toMatchObject({ settled: true })
    expect(await world.casesAbout(signature, buyer)).toEqual([])
    await expect(confirm(buyer, bare, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    const { purchaseId, lamports } = bare
    expect(await world.casesAbout(signature, buyer)).toMatchObject([{ purchaseId, kind: 'wrong', lamports }])
  })

  it('without any reference delivers neither, and is a case of each if its buyer says so', async () => {
    const { buyer, seller } = world
    const [first, second] = [await holdFrom(buyer, seller), await holdFrom(buyer, otherSeller)]
    const unnamed = ({ address }: Wallet, { lamports }: Purchase) => transfer(buyer, address, BigInt(lamports))
    const signature = await world.transact(buyer, unnamed(seller, first), unnamed(otherSeller, second))
    for (const { purchase, paid } of [
      { purchase: first, paid: seller },
      { purchase: second, paid: otherSeller },
    ]) {
      await expect(confirm(buyer, purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
      const { purchaseId, lamports } = purchase
      expect(await world.casesAbout(signature, paid)).toMatchObject([{ purchaseId, kind: 'wrong', lamports }])
    }
  })

  it('of two buyers delivers one and becomes a case of the other', async () => {
    const { buyer, rival, seller } = world
    const [mine, theirs] = [await holdFrom(buyer, seller), await holdFrom(rival, seller)]
    const signature = await world.transact(buyer, payFor(buyer, mine), payFor(rival, theirs))
    expect(await confirm(buyer, mine, signature)).toMatchObject({ settled: true })
    await expectCase(rival, theirs, signature)
    const { purchaseId, lamports } = theirs
    expect(await world.casesAbout(signature, rival)).toMatchObject([{ purchaseId, lamports }])
    expect(await world.casesAbout(signature, buyer)).toEqual([])
  })
})

describe('one transfer that carries the references of several purchases', () => {
  const payNaming = (lamports: bigint, purchases: readonly Purchase[]) => {
    const references = purchases.map(({ reference }) => reference)
    return world.transact(world.buyer, transfer(world.buyer, world.seller.address, lamports, references))
  }

  it('counts for the first of them alone, so it is not both delivered and paid back', async () => {
    const { buyer } = world
    const [{ purchase: first, freeListing }, { purchase: second }] = [await cancelledPurchase(buyer), await cancelledPurchase(buyer)]
    const signature = await payNaming(BigInt(first.lamports), [first, second])
    await expect(confirm(buyer, second, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectCase(buyer, first, signature)
    await world.expectCase(signature, { purchaseId: first.purchaseId, kind: 'late' })
    await freeListing()
    await world.untilStatus(first, 'settled')
    await world.expectCase(signature, { status: 'delivered', refundable: false })
  })

  it('is one case if its amount is wrong', async () => {
    const cancelled = [await cancelledPurchase(world.buyer), await cancelledPurchase(world.buyer), await cancelledPurchase(world.buyer)]
    const purchases = cancelled.map(({ purchase }) => purchase)
    const signature = await payNaming(5_000_000n, purchases)
    for (const purchase of purchases) await confirm(world.buyer, purchase, signature).catch(() => undefined)
    await world.expectCase(signature, { purchaseId: purchases[0]!.purchaseId, lamports: '5000000' })
  })
})

it('one transaction that pays back several cases closes each of them, by a transfer of its own', async () => {
  const { buyer, rival, seller } = world
  const refunds: Instruction[] = []
  const found: Case[] = []
  const cancelled = [
    { wallet: buyer, ...(await cancelledPurchase(buyer)) },
    { wallet: rival, ...(await cancelledPurchase(rival)) },
  ]
  for (const { wallet, purchase } of cancelled) {
    const signature = await world.payByWallet(wallet, purchase)
    await expectCase(wallet, purchase, signature)
    const [unmatched] = (await world.casesAbout(signature, wallet)) as [Case]
    const { reference } = await world.prepareRefund(seller, unmatched)
    refunds.push(transfer(seller, wallet.address, BigInt(unmatched.lamports), [reference]))
    found.push(unmatched)
  }
  await world.transact(seller, ...refunds)
  await world.reconcileUntil(async () => {
    const now = await world.casesOf(seller)
    for (const { caseId } of found) expect(now.find((it) => it.caseId === caseId)).toMatchObject({ status: 'refunded' })
  })
})
