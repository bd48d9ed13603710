import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { type SignatureEntry } from '../../../src/chain/chain.ts'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { reconcileEndedOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { createReconciliation } from '../../../src/purchases/reconciliation/run-reconciliation.ts'
import { closePaymentWindow, makeDue } from '../reconciling.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  makePurchasesDue,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  waiting,
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

async function holdAnother(sendsThrough: 'server' | 'wallet', wallet = buyer) {
  return hold(world, wallet, await list(world, seller), sendsThrough)
}

describe('a purchase that was held when an endpoint told a slot far ahead of the chain', () => {
  it('is settled by the payment that carries its reference', async () => {
    const purchase = await holdAnother('wallet')
    await world.connection.pool.query('update purchases set held_at_slot = held_at_slot + 1000000 where id = $1', [purchase.purchaseId])
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await makeDue(world, purchase)
    await reconcileOnce(world.deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled' })
  })
})

describe('a purchase that a stranger floods with transactions', () => {
  /** Sends transactions that carry the reference and pay nothing, as anyone can who has seen it. */
  async function flood(reference: string, count: number): Promise<Signature[]> {
    const stranger = await world.createWallet()
    const sent: Signature[] = []
    for (let n = 1; n <= count; n++) {
      const mention = transfer(stranger, stranger.address, BigInt(n), [reference, buyer.address])
      sent.push(await sendByWallet(world, await signTransaction(world, stranger, [mention])))
    }
    return sent
  }

  it('is settled by the payment that came before them', async () => {
    const purchase = await holdAnother('wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await flood(purchase.reference, 14)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('is settled by the payment that comes after them', async () => {
    const purchase = await holdAnother('wallet')
    await flood(purchase.reference, 20)
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('is settled even if one of them cannot be read', async () => {
    const purchase = await holdAnother('wallet')
    const [unreadable] = await flood(purchase.reference, 1)
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    const deps = chainBut(world, {
      transaction: async (signature) => {
        if (signature === unreadable) throw new Failure('CHAIN_DOWN')
        return world.chain.transaction(signature)
      },
    })
    await untilStatus(world.seenWith({ deps }), purchase.purchaseId, 'settled')
  })

  it('ends in time, after each of them was read once', async () => {
    const purchase = await holdAnother('wallet')
    const sent = new Set<string>(await flood(purchase.reference, 20))
    await closePaymentWindow(world, purchase)
    await world.mine(32)
    const reads: string[] = []
    const deps = chainBut(world, {
      transaction: async (signature) => {
        if (sent.has(signature)) reads.push(signature)
        return world.chain.transaction(signature)
      },
    })
    await untilStatus(world.seenWith({ deps }), purchase.purchaseId, 'ended')
    expect(reads.toSorted()).toEqual([...sent].toSorted())
  })
})

describe('one round', () => {
  it('asks a public RPC node for no more than it answers before requests time out', async () => {
    const buyers = await Promise.all(Array.from({ length: 4 }, () => world.createWallet()))
    const holds: Purchase[] = []
    for (let n = 0; n < 12; n++) holds.push(await holdAnother('wallet', buyers[n % 4]))
    for (const purchase of holds) await closePaymentWindow(world, purchase)
    // An address that the chain client does not treat as local, which it would ask without limits.
    const chain = createChain({ endpoints: [world.rpcUrl.replace('127.0.0.1', '0.0.0.0')], log: world.deps.log, requestsPerSecond: 1_000 })
    await chain.start()
    let calls = 0
    for (const endpoint of chain.pool.endpoints) {
      const send = endpoint.send.bind(endpoint)
      endpoint.send = async (...request) => {
        calls += 1
        return send(...request)
      }
    }
    const most: number[] = []
    await vi.waitFor(async () => {
      await world.connection.pool.query(`update purchases set reconcile_at = now() where status = 'held'`)
      calls = 0
      await reconcileOnce({ ...world.deps, chain })
      most.push(calls)
      await world.mine(16)
      for (const { purchaseId } of holds) expect((await readPurchase(world, purchaseId)).status).toBe('ended')
    }, waiting)
    await chain.stop()
    expect(Math.max(...most)).toBeLessThan(45)
  })

  it('reconciles an open hold first, however many ended ones its buyer has made due', async () => {
    for (let n = 0; n < 25; n++) await cancelHold(world.deps, buyer.address, (await holdAnother('server')).purchaseId)
    await world.connection.pool.query(`update purchases set reconciled_at = now() - interval '1 hour'`)
    await reconcileEndedOf(world.database, buyer.address, 30)
    const due = await world.connection.pool.query('select id from purchases where buyer = $1 and reconcile_at <= now()', [buyer.address])
    expect(due.rowCount).toBe(10)
    const purchase = await holdAnother('wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await makeDue(world, purchase)
    await reconcileOnce(world.deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled' })
  })
})

describe('reconciliations that hang', () => {
  it('keep no other purchase waiting', async () => {
    const hanging = new Set<string>()
    let release = () => {}
    const afterTheTest = new Promise<SignatureEntry[]>((resolve) => (release = () => resolve([])))
    const buyers = await Promise.all(Array.from({ length: 4 }, () => world.createWallet()))
    for (let n = 0; n < 8; n++) hanging.add((await holdAnother('wallet', buyers[n % 4])).reference)
    const purchase = await holdAnother('wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    const deps = chainBut(world, {
      recentSignatures: (address, since, limit) =>
        hanging.has(address) ? afterTheTest : world.chain.recentSignatures(address, since, limit),
    })
    await makePurchasesDue(world)
    const stop = createReconciliation(deps).start()
    onTestFinished(async () => {
      release()
      await stop()
    })
    await vi.waitFor(async () => {
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'settled' })
    }, waiting)
  })
})
