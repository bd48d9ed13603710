import { type Signature } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import {
  appleJuice,
  casesOf,
  chainAt,
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  makePurchasesDue,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** The chain after a rollback of one transaction, whose fork lost; counts how often its bytes are broadcast again. */
function rollBack(lost: Signature): { fork: TradingWorld; broadcasts: () => number } {
  const { chain } = world
  let broadcasts = 0
  const isKept = (signature: Signature) => signature !== lost
  const deps = chainBut(world, {
    statuses: async (signatures) => chain.statuses(signatures.filter(isKept)),
    finality: async (signatures) => chain.finality(signatures.filter(isKept)),
    transaction: async (signature) => (isKept(signature) ? chain.transaction(signature) : undefined),
    recentSignatures: async (...query) => (await chain.recentSignatures(...query)).filter((entry) => isKept(entry.signature)),
    broadcast: async () => void (broadcasts += 1),
    finalized: async () => {
      const view = await chain.finalized()
      return {
        ...view,
        statusOf: async (signature) => (isKept(signature) ? view.statusOf(signature) : undefined),
        signaturesFor: async (...query) => (await view.signaturesFor(...query)).filter((entry) => isKept(entry.signature)),
      }
    },
  })
  return { fork: world.seenWith({ deps }), broadcasts: () => broadcasts }
}

async function settledPurchase() {
  const purchase = await hold(world, buyer, await list(world, seller))
  const payment = await signPayment(world, buyer, purchase)
  await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)
  await untilStatus(world, purchase.purchaseId, 'settled')
  return { purchase, payment }
}

describe('a settled payment', () => {
  it('is reconciled until it is finalized', async () => {
    const { purchase } = await settledPurchase()
    await reconcileUntil(world, async () => {
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: true })
    })
  })

  it('that is rolled back is broadcast again, and becomes a case and a reversal of its sale once it can no longer land', async () => {
    const { purchase, payment } = await settledPurchase()
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    const tokens = await appleJuice(world, buyer)
    const { fork, broadcasts } = rollBack(payment.signature)
    await reconcileUntil(fork, async () => {
      const cases = await casesOf(world, seller.address)
      expect(cases).toContainEqual(expect.objectContaining({ kind: 'vanished', signature: payment.signature, refundable: false }))
    })
    expect(broadcasts()).toBeGreaterThan(0)
    expect(await appleJuice(world, buyer)).toBe(tokens)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: false })
    const sales = (await readSales(world.database, { limit: 500 })).sales.filter(({ purchaseId }) => purchaseId === purchase.purchaseId)
    const saleId = `${purchase.purchaseId}.1`
    expect(sales.map(({ saleId: id, reverses }) => [id, reverses])).toEqual([
      [saleId, null],
      [`${saleId}.reversed`, saleId],
    ])
  })

  it('that only seemed rolled back opens no case', async () => {
    const { purchase, payment } = await settledPurchase()
    const { fork, broadcasts } = rollBack(payment.signature)
    await makePurchasesDue(world)
    await reconcileUntil(fork, async () => expect(broadcasts()).toBeGreaterThan(0))
    await reconcileUntil(world, async () => {
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ finalized: true })
    })
    const cases = await casesOf(world, seller.address)
    expect(cases.filter((found) => found.signature === payment.signature)).toEqual([])
  })
})

describe('with SETTLE_AT=finalized', () => {
  it('tokens move only when the payment is finalized', async () => {
    const strict = world.seenWith({ deps: { ...world.deps, settings: { ...world.deps.settings, settleAt: 'finalized' as const } } })
    const purchase = await hold(strict, buyer, await list(strict, seller))
    const payment = await signPayment(strict, buyer, purchase)
    await submitPayment(strict.deps, buyer.address, purchase.purchaseId, payment.base64)
    // However slow this machine is, it sees the payment while that is only confirmed.
    const confirmed = world.seenWith({ deps: { ...chainAt(world, 'confirmed'), settings: strict.deps.settings } })
    await reconcileUntil(confirmed, async () => {
      expect(await readPurchase(strict, purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'confirmed' })
    })
    await untilStatus(strict, purchase.purchaseId, 'settled')
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)?.commitment).toBe('finalized')
  })
})
