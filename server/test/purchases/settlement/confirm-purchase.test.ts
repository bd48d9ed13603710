import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { defaultCatalogue } from '../../support/catalogue.ts'
import { type Commitment } from '../../../src/chain/chain.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import {
  chainAt,
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  signPayment,
  type TradingWorld,
  waiting,
  type Wallet,
} from '../trading-world.ts'
import { purchaseReply } from '../../../src/purchases/purchase-reply.ts'
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

/** Holds a listing and cancels, `times` in a row, as if there were no cooldown. */
async function holdOften(listingId: string, times: number) {
  const purchases: Purchase[] = []
  for (let n = 0; n < times; n++) {
    const purchase = await hold(world, buyer, listingId)
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    await world.connection.pool.query(`update purchases set ended_at = now() - interval '2 days' where id = $1`, [purchase.purchaseId])
    purchases.push(purchase)
  }
  return purchases
}

/** Counts the chain's calls that read payments. */
function counting() {
  let calls = 0
  const deps = chainBut(world, {
    statuses: async (signatures) => {
      calls += 1
      return world.chain.statuses(signatures)
    },
    transaction: async (signature) => {
      calls += 1
      return world.chain.transaction(signature)
    },
  })
  return { deps, calls: () => calls }
}

describe('confirming', () => {
  it('finds the purchase whose reference the payment carries, however many came after it', async () => {
    const listingId = await list(world, seller)
    const [first] = await holdOften(listingId, 7)
    if (!first) throw new Error('no purchase')
    const signature = await sendByWallet(world, await signPayment(world, buyer, first))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({
      purchase: { id: first.purchaseId },
      settled: true,
    })
  })

  it('an unrelated transaction takes at most two calls to the chain', async () => {
    const listingId = await list(world, seller)
    await holdOften(listingId, 5)
    const other = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, buyer.address, 1n)]))
    const { deps, calls } = counting()
    await expect(confirmPurchase(deps, buyer.address, listingId, other)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' })
    expect(calls()).toBeLessThanOrEqual(2)
  })

  it('rate-limits a landed transaction that was not submitted, and does not read one that is refused', async () => {
    const listingId = await list(world, seller)
    await hold(world, buyer, listingId, 'wallet')
    const other = await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, buyer.address, 2n)]))
    const { deps, calls } = counting()
    const refuse = async () => {
      throw new Failure('TOO_MANY_REQUESTS', { detail: 'a minute' })
    }
    await expect(confirmPurchase(deps, buyer.address, listingId, other, refuse)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    expect(calls()).toBe(1)
  })

  it('does not rate-limit a submitted payment', async () => {
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId)
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)
    const count = vi.fn<() => Promise<void>>(async () => undefined)
    await vi.waitFor(async () => {
      expect(await confirmPurchase(world.deps, buyer.address, listingId, payment.signature, count)).toMatchObject({ settled: true })
    }, waiting)
    expect(count).not.toHaveBeenCalled()
  })

  it('a delivered purchase again takes no call to the chain, and gets the same reply', async () => {
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const first = await confirmPurchase(world.deps, buyer.address, listingId, signature)
    const { deps, calls } = counting()
    const again = await confirmPurchase(deps, buyer.address, listingId, signature)
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
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const deps = { ...chainAt(world, commitment), settings: { ...world.deps.settings, settleAt } }
    expect(await confirmPurchase(deps, buyer.address, listingId, signature)).toMatchObject({ settled: false })
    await reconcileOnce(deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })
})
