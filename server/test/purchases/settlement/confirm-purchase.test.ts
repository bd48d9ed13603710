import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_BALANCE } from '@juicebar/contract/limits'
import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it, vi } from 'vitest'
import { type Commitment } from '../../../src/chain/chain.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase/purchase-deps.ts'
import { purchaseReply } from '../../../src/purchases/reply/purchase-reply.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { refusal, useTradingWorld, waiting } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

const holdForWallet = (wallet = world.buyer) => world.holdNew(wallet)
const confirm = ({ listingId }: Purchase, signature: string, wallet = world.buyer) => world.confirm(wallet, listingId, signature)
/** A transaction of the buyer that has nothing to do with any purchase. */
const payNobody = () => world.transact(world.buyer, transfer(world.buyer, world.buyer.address, 1n))

/** Holds a listing and cancels, `times` in a row, as if there were no cooldown. Returns the first purchase. */
async function holdOften(times: number): Promise<Purchase> {
  const listingId = await world.list()
  const purchases: Purchase[] = []
  for (let n = 0; n < times; n++) {
    const purchase = await world.hold(world.buyer, listingId)
    await world.cancel(world.buyer, purchase)
    await world.connection.pool.query(`update purchases set ended_at = now() - interval '2 days' where id = $1`, [purchase.purchaseId])
    purchases.push(purchase)
  }
  return purchases[0]!
}

/** Counts the chain's calls that read payments. */
function counting() {
  const statuses = vi.fn<typeof world.chain.statuses>((signatures) => world.chain.statuses(signatures))
  const transaction = vi.fn<typeof world.chain.transaction>((signature) => world.chain.transaction(signature))
  const calls = () => statuses.mock.calls.length + transaction.mock.calls.length
  return { deps: world.chainBut({ statuses, transaction }), calls }
}

describe('confirming', () => {
  it('finds the purchase whose reference the payment carries, however many came after it', async () => {
    const first = await holdOften(7)
    const signature = await world.payByWallet(world.buyer, first)
    expect(await confirm(first, signature)).toMatchObject({ purchase: { id: first.purchaseId }, settled: true })
  })

  it('an unrelated transaction takes at most two calls to the chain', async () => {
    const { listingId } = await holdOften(5)
    const other = await payNobody()
    const { deps, calls } = counting()
    await expect(confirmPurchase(deps, world.buyer.address, { listingId }, other)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(calls()).toBeLessThanOrEqual(2)
  })

  it('rate-limits a landed transaction that was not submitted, and does not read one that is refused', async () => {
    const { listingId } = await holdForWallet()
    const other = await payNobody()
    const { deps, calls } = counting()
    const refuse = () => Promise.reject(new Failure('TOO_MANY_REQUESTS', { detail: 'a minute' }))
    await expect(confirmPurchase(deps, world.buyer.address, { listingId }, other, refuse)).rejects.toEqual(refusal('TOO_MANY_REQUESTS'))
    expect(calls()).toBe(1)
  })

  it('does not rate-limit a submitted payment', async () => {
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    await world.submit(world.buyer, purchase, payment)
    const count = vi.fn<() => Promise<void>>(async () => undefined)
    await vi.waitFor(async () => {
      const confirmed = await confirmPurchase(world.deps, world.buyer.address, { listingId: purchase.listingId }, payment.signature, count)
      expect(confirmed).toMatchObject({ settled: true })
    }, waiting)
    expect(count).not.toHaveBeenCalled()
  })

  it('a delivered purchase again takes no call to the chain, and gets the same reply', async () => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase)
    const first = await confirm(purchase, signature)
    const { deps, calls } = counting()
    const again = await confirmPurchase(deps, world.buyer.address, { listingId: purchase.listingId }, signature)
    const context = { catalogue: defaultCatalogue, genesisHash: undefined }
    expect(purchaseReply(again.purchase, context)).toEqual(purchaseReply(first.purchase, context))
    expect(purchaseReply(again.purchase, context)).toMatchObject({ status: 'settled', payMillisLeft: 0 })
    expect(calls()).toBe(0)
  })
})

describe('a payment that is not final enough', () => {
  it.each<[string, Commitment, PurchaseDeps['settings']['settleAt']]>([
    ['processed', 'processed', 'confirmed'],
    ['confirmed with SETTLE_AT=finalized', 'confirmed', 'finalized'],
  ])('delivers nothing yet: %s', async (_, commitment, settleAt) => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase)
    const early = world.seenWith({ deps: { ...world.chainAt(commitment), settings: { ...world.deps.settings, settleAt } } })
    expect(await early.confirm(world.buyer, purchase.listingId, signature)).toMatchObject({ settled: false })
    await early.expectStillHeld(purchase)
    expect(await confirm(purchase, signature)).toMatchObject({ settled: true })
  })
})

describe('a purchase is not settled by', () => {
  it.each<[string, () => Promise<[Purchase, Signature]>]>([
    [
      'the payment that settled another purchase of the same buyer',
      async () => {
        const paid = await holdForWallet()
        const signature = await world.payByWallet(world.buyer, paid)
        await confirm(paid, signature)
        return [await holdForWallet(), signature]
      },
    ],
    [
      "a third party's payment, even with its reference",
      async () => {
        const purchase = await holdForWallet()
        return [purchase, await world.payByWallet(world.rival, purchase)]
      },
    ],
    [
      'a transfer to anyone but the seller',
      async () => {
        const purchase = await holdForWallet()
        return [purchase, await world.payByWallet(world.buyer, purchase, { to: world.rival.address })]
      },
    ],
    [
      'a payment in a transaction that failed',
      async () => {
        const purchase = await holdForWallet()
        const tooMuch = transfer(world.buyer, world.rival.address, 1_000n * 1_000_000_000n)
        return [purchase, await world.payByWallet(world.buyer, purchase, { after: [tooMuch] })]
      },
    ],
  ])('%s', async (_, act) => {
    const [purchase, signature] = await act()
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await world.expectStillHeld(purchase)
  })

  /** As if it had been placed just now, or by a server that had seen later slots. */
  async function placeNow({ purchaseId }: Purchase, { ahead = 0n } = {}): Promise<void> {
    await world.mine(20)
    const slot = (await world.chain.highestSlot()) + ahead
    await world.connection.pool.query('update purchases set held_at_slot = $2 where id = $1', [purchaseId, slot])
  }

  it.each([0n, 4_000n])('an unreferenced transfer that looks older, which becomes a case (held in a slot %i ahead)', async (ahead) => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await placeNow(purchase, { ahead })
    await world.expectStillHeld(purchase)
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(signature, { kind: 'wrong', status: 'open', lamports: purchase.lamports })
  })

  it('an unreferenced transfer that looks older, if an earlier purchase of the same sum is there for it', async () => {
    const listingId = await world.list()
    const first = await world.hold(world.buyer, listingId)
    const signature = await world.payByWallet(world.buyer, first, { references: [] })
    await world.cancel(world.buyer, first)
    await world.connection.pool.query(`update purchases set ended_at = now() - interval '2 days' where id = $1`, [first.purchaseId])
    const second = await world.hold(world.buyer, listingId)
    await placeNow(second)
    await expect(confirm(second, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    const [found] = await world.casesAbout(signature)
    expect(found).toMatchObject({ kind: 'late', purchaseId: first.purchaseId })
  })

  it("another buyer's payment for another listing", async () => {
    const other = await holdForWallet(world.rival)
    const signature = await world.payByWallet(world.rival, other)
    const purchase = await holdForWallet()
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    await world.expectStillHeld(purchase)
    expect(await confirm(other, signature, world.rival)).toMatchObject({ settled: true })
  })

  it('an unreferenced payment that settled another purchase of the same price', async () => {
    const price = world.nextPrice()
    const holdOne = async () => world.hold(world.buyer, await world.list(world.seller, { price }))
    const paid = await holdOne()
    const signature = await world.payByWallet(world.buyer, paid, { references: [] })
    await confirm(paid, signature)
    const purchase = await holdOne()
    // As if the second hold had been placed in the payment's own slot: only its signature shows that it has been used.
    await world.connection.pool.query('update purchases set held_at_slot = 0 where id = $1', [purchase.purchaseId])
    await expect(confirm(purchase, signature)).rejects.toEqual(refusal('SIGNATURE_USED'))
    await world.expectStillHeld(purchase)
  })

  it('an unreferenced payment for another hold of the same price, although an endpoint told a slot far ahead when that was placed', async () => {
    const price = world.nextPrice()
    const holdOne = async () => world.hold(world.buyer, await world.list(world.seller, { price }))
    const purchase = await holdOne()
    await confirm(purchase, await world.payByWallet(world.buyer, purchase))
    const other = await holdOne()
    await world.connection.pool.query('update purchases set held_at_slot = held_at_slot + 1000000 where id = $1', [other.purchaseId])
    const signature = await world.payByWallet(world.buyer, other, { references: [] })
    await expect(confirm(purchase, signature)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(await confirm(other, signature)).toMatchObject({ settled: true })
  })

  it.each(['', 'x', '1'.repeat(88), 'z'.repeat(88), '0OIl', "'; drop table purchases; --"])('the forged signature %j', async (forged) => {
    const purchase = await holdForWallet()
    const outcome = await confirm(purchase, forged).catch((error: unknown) => error)
    expect(outcome).toSatisfy((it: { code?: string; settled?: boolean }) => it.code === 'BAD_REQUEST' || it.settled === false)
    await world.expectStillHeld(purchase)
  })

  it('a payment for a listing that the buyer never held', async () => {
    const price = world.nextPrice()
    const listingId = await world.list(world.seller, { price })
    const signature = await world.transact(world.buyer, transfer(world.buyer, world.seller.address, price))
    await expect(world.confirm(world.buyer, listingId, signature)).rejects.toEqual(refusal('NO_HOLD'))
    await expect(world.confirm(world.buyer, 'no-listing', signature)).rejects.toEqual(refusal('NO_HOLD'))
  })
})

it('a payment is delivered even if the studio has filled its buyer’s balance meanwhile', async () => {
  const buyer = await world.createWallet()
  const holds = await world.holdNew(buyer)
  const reserved = await world.buyCoSigned(buyer, [{ listingId: await world.list() }])
  const room = MAX_BALANCE - (await world.appleJuice(buyer))
  const add = (amount: number) =>
    world.connection.pool.query(`update balances set amount = amount + $2 where wallet_address = $1 and token_type = 'APPLE_JUICE'`, [
      buyer.address,
      amount,
    ])
  await add(room)
  await expect(world.holdNew(buyer)).rejects.toEqual(refusal('BALANCE_LIMIT'))
  await world.payByWallet(buyer, holds)
  await world.untilStatus(holds, 'settled')
  await world.untilStatus(reserved, 'settled')
  expect(await world.appleJuice(buyer)).toBe(MAX_BALANCE + 20)
  await add(-room)
})
