import { type Signature } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Chain, type FinalizedView, type LandedTransaction } from '../../../src/chain/chain.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import {
  casesOf,
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
  watchUntil,
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

/** A real chain that has forgotten one transaction: it was on a fork that lost. Counts how often its bytes are sent again. */
function forgetting(chain: Chain, forgotten: Signature): { chain: Chain; sent: () => number } {
  let sent = 0
  const known = (signature: Signature) => signature !== forgotten
  const changed: Partial<Chain> = {
    statuses: async (signatures) => chain.statuses(signatures.filter(known)),
    transaction: async (signature): Promise<LandedTransaction | undefined> => (known(signature) ? chain.transaction(signature) : undefined),
    recentSignatures: async (...query) => (await chain.recentSignatures(...query)).filter((entry) => known(entry.signature)),
    broadcast: async () => void (sent += 1),
    finalized: async (): Promise<FinalizedView> => {
      const view = await chain.finalized()
      return {
        ...view,
        statusOf: async (signature) => (known(signature) ? view.statusOf(signature) : undefined),
        signaturesFor: async (...query) => (await view.signaturesFor(...query)).filter((entry) => known(entry.signature)),
      }
    },
  }
  const port = new Proxy(chain, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { chain: port, sent: () => sent }
}

async function settledPurchase(price: bigint) {
  const purchase = await hold(world, buyer, await list(world, seller, { price }))
  const payment = await signPayment(world, buyer, purchase)
  await submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)
  await untilStatus(world, purchase.purchaseId, 'settled')
  return { purchase, payment }
}

const lookAtAll = () => world.connection.pool.query('update purchases set reconcile_at = now() where reconcile_at is not null')

describe('a settled payment', () => {
  it('is followed until it is final', async () => {
    const { purchase } = await settledPurchase(40_000_000n)
    await watchUntil(world, async () => {
      await lookAtAll()
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: true })
    })
  })

  it('that the chain forgets is sent again, and becomes a case once it can no longer land', async () => {
    const { purchase, payment } = await settledPurchase(41_000_000n)
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    const tokens = await appleJuice(world, buyer)
    const fork = forgetting(world.chain, payment.signature)
    await watchUntil({ ...world, deps: { ...world.deps, chain: fork.chain } }, async () => {
      await lookAtAll()
      const cases = await casesOf(world, seller.address)
      expect(cases).toContainEqual(expect.objectContaining({ kind: 'vanished', signature: payment.signature, refundable: false }))
    })
    expect(fork.sent()).toBeGreaterThan(0)
    expect(await appleJuice(world, buyer)).toBe(tokens)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled', finalized: false })
  })

  it('that only seemed forgotten is no case', async () => {
    const { purchase, payment } = await settledPurchase(42_000_000n)
    const fork = forgetting(world.chain, payment.signature)
    await lookAtAll()
    await watchUntil({ ...world, deps: { ...world.deps, chain: fork.chain } }, async () => expect(fork.sent()).toBeGreaterThan(0))
    await watchUntil(world, async () => {
      await lookAtAll()
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ finalized: true })
    })
    const cases = await casesOf(world, seller.address)
    expect(cases.filter((found) => found.signature === payment.signature)).toEqual([])
  })
})

describe('with SETTLE_AT=finalized', () => {
  it('tokens move only when the payment is final', async () => {
    const careful = { ...world, deps: { ...world.deps, settings: { ...world.deps.settings, settleAt: 'finalized' as const } } }
    const purchase = await hold(careful, buyer, await list(careful, seller, { price: 43_000_000n }))
    const payment = await signPayment(careful, buyer, purchase)
    await submitPayment(careful.deps, buyer.address, purchase.purchaseId, payment.base64)
    await watchUntil(careful, async () => {
      await lookAtAll()
      expect(await readPurchase(careful, purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'confirmed' })
    })
    await untilStatus(careful, purchase.purchaseId, 'settled')
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)?.commitment).toBe('finalized')
  })
})
