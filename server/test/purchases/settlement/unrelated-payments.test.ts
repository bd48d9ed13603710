import { lamports } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'
import { AccountRole } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import {
  casesOf,
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  runOutOfTime,
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
let stranger: Wallet
let price = 10_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer, stranger] = await Promise.all([world.createWallet(), world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** Every lot has a price of its own, so that no test can settle another's. */
async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

const holdForWallet = async (listingId: string) => hold(world, buyer, listingId, 'wallet')
const confirm = (listingId: string, signature: string, wallet = buyer) => confirmPurchase(world.deps, wallet.address, listingId, signature)
const refusal = (code: string) => expect.objectContaining({ code })

async function expectUnpaid(purchase: Purchase): Promise<void> {
  await reconcileOnce(world.deps)
  expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
}

async function abandon(purchase: Purchase): Promise<void> {
  await world.connection.pool.query(`update purchases set server_sends = true where id = $1`, [purchase.purchaseId])
  await cancelHold(world.deps, buyer.address, purchase.purchaseId)
}

describe('confirming with a payment that is not for this lot', () => {
  it('a replayed signature of the own, settled purchase buys nothing else', async () => {
    const [first, second] = [await listAnew(), await listAnew()]
    const paid = await holdForWallet(first)
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid))
    await confirm(first, signature)
    const purchase = await holdForWallet(second)
    await expect(confirm(second, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a reference-less payment that settled one purchase settles no other of the same price', async () => {
    price += 1_000_000n
    const same = price
    const [first, second] = [await list(world, seller, { price: same }), await list(world, seller, { price: same })]
    const paid = await hold(world, buyer, first, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, paid, { references: [] }))
    await confirm(first, signature)
    const purchase = await hold(world, buyer, second, 'wallet')
    // As if the second hold had been made in the payment's own slot: then only the signature tells that it served already.
    await world.connection.pool.query('update purchases set held_at_slot = 0 where id = $1', [purchase.purchaseId])
    await expect(confirm(second, signature)).rejects.toEqual(refusal('SIGNATURE_USED'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a transfer of the same price to the same seller from before the hold does not count', async () => {
    const listingId = await listAnew()
    const early = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, lamports(price))]))
    const slot = await world.chain.highestSlot()
    await watchUntil(world, async () => expect(await world.chain.highestSlot()).toBeGreaterThan(slot))
    const purchase = await holdForWallet(listingId)
    await expect(confirm(listingId, early)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it("another buyer's payment of another lot does not count", async () => {
    const [mine, theirs] = [await listAnew(), await listAnew()]
    const other = await hold(world, stranger, theirs, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, stranger, other))
    const purchase = await holdForWallet(mine)
    await expect(confirm(mine, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
    expect(await confirm(theirs, signature, stranger)).toMatchObject({ settled: true })
  })

  it('a payment by a third party does not count, even with the reference', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, stranger, purchase, { from: stranger }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a transfer to another recipient does not count', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase, { to: stranger.address }))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it('a failed transaction moves nothing', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const tooMuch = transfer(buyer, stranger.address, lamports(1_000n * 1_000_000_000n))
    const failed = await signPayment(world, buyer, purchase, { after: [tooMuch] })
    await sendByWallet(world, failed)
    await expect(confirm(listingId, failed.signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await expectUnpaid(purchase)
    await abandon(purchase)
  })

  it.each(['', 'x', '1'.repeat(88), 'z'.repeat(88), '0OIl', "'; drop table purchases; --"])(
    'the forged signature %j is refused',
    async (forged) => {
      const listingId = await listAnew()
      const purchase = await holdForWallet(listingId)
      const outcome = await confirm(listingId, forged).catch((error: unknown) => error)
      expect(outcome).toSatisfy((it: { code?: string; settled?: boolean }) => it.code === 'BAD_REQUEST' || it.settled === false)
      await expectUnpaid(purchase)
      await abandon(purchase)
    },
  )

  it('without ever holding the lot there is nothing to confirm', async () => {
    const listingId = await listAnew()
    const signature = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, lamports(price))]))
    await expect(confirm(listingId, signature)).rejects.toEqual(refusal('NO_HOLD'))
    await expect(confirm('no-listing', signature)).rejects.toEqual(refusal('NO_HOLD'))
  })
})

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

describe('a payment handed to the server', () => {
  const attack = async (make: (purchase: Purchase) => ReturnType<typeof signPayment>) => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await make(purchase)
    await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)).toBeUndefined()
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  }

  it.each<[string, (purchase: Purchase) => ReturnType<typeof signPayment>]>([
    ['pays one lamport less', (purchase) => signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) - 1n })],
    ['pays one lamport more', (purchase) => signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) + 1n })],
    ['pays another wallet', (purchase) => signPayment(world, buyer, purchase, { to: stranger.address })],
    ['names no purchase', (purchase) => signPayment(world, buyer, purchase, { references: [] })],
    [
      'names a second purchase too',
      (purchase) => signPayment(world, buyer, purchase, { references: [purchase.reference, stranger.address] }),
    ],
    ['is signed by somebody else', (purchase) => signPayment(world, stranger, purchase, { from: stranger })],
    [
      'drains the buyer besides',
      (purchase) => signPayment(world, buyer, purchase, { after: [transfer(buyer, stranger.address, lamports(1_000_000n))] }),
    ],
    ['could land at any later time', (purchase) => signPayment(world, buyer, purchase, { before: [advanceNonce(buyer)] })],
  ])('is refused and not sent when it %s', async (_, make) => attack(make))

  it('is refused when it is no transaction at all', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    for (const garbage of ['AAAA', 'not base64', Buffer.alloc(1200).toString('base64')]) {
      await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, garbage)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })

  it("is not taken for somebody else's purchase", async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await expect(submitPayment(world.deps, stranger.address, purchase.purchaseId, payment.base64)).rejects.toEqual(
      refusal('PURCHASE_NOT_FOUND'),
    )
    await expect(cancelHold(world.deps, stranger.address, purchase.purchaseId)).rejects.toEqual(refusal('PURCHASE_NOT_FOUND'))
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })
})

describe('races', () => {
  it('a lot has one holder among 20 simultaneous buyers', async () => {
    const listingId = await listAnew()
    const buyers = await Promise.all(Array.from({ length: 20 }, () => world.createWallet()))
    const outcomes = await Promise.allSettled(buyers.map((wallet) => hold(world, wallet, listingId)))
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(won).toHaveLength(1)
    expect(lost.map(({ reason }) => reason as unknown)).toEqual(Array.from({ length: 19 }, () => refusal('LISTING_HELD')))
  })

  it('the same buyer asking 20 times at once gets the same hold', async () => {
    const listingId = await listAnew()
    const holds = await Promise.all(Array.from({ length: 20 }, () => hold(world, buyer, listingId)))
    expect(new Set(holds.map((held) => held.purchaseId)).size).toBe(1)
    await cancelHold(world.deps, buyer.address, holds[0]?.purchaseId ?? '')
  })

  it('20 confirmations at once deliver once', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    const before = await appleJuice(world, buyer)
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(listingId, signature)))
    expect(answers.every((answer) => answer.settled)).toBe(true)
    expect(await appleJuice(world, buyer)).toBe(before + purchase.amount)
  })

  it('a wallet has at most three holds, however fast it asks', async () => {
    const wallet = await world.createWallet()
    const lots = await Promise.all(Array.from({ length: 8 }, () => listAnew()))
    const outcomes = await Promise.allSettled(lots.map((listingId) => hold(world, wallet, listingId)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3)
  })
})

describe('the end of a hold that a wallet may have paid by itself', () => {
  it('comes only when the chain has proved that no payment can land, and a payment until then still counts', async () => {
    const purchase = await holdForWallet(await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await runOutOfTime(world, purchase.purchaseId)
    await expectUnpaid(purchase)
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('frees the lot in the end', async () => {
    const listingId = await listAnew()
    const purchase = await holdForWallet(listingId)
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    await expectUnpaid(purchase)
    await untilStatus(world, purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'cancelled' })
    await expect(hold(world, stranger, listingId)).resolves.toMatchObject({ status: 'held' })
  })
})

function advanceNonce(authority: Wallet) {
  const data = new Uint8Array([4, 0, 0, 0])
  const accounts = [
    { address: authority.signer.address, role: AccountRole.WRITABLE },
    { address: authority.signer.address, role: AccountRole.READONLY_SIGNER },
  ]
  return { programAddress: SYSTEM_PROGRAM_ADDRESS, accounts, data }
}
