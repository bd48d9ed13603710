import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { type Chain, type Commitment } from '../../src/chain/chain.ts'
import { removeListing } from '../../src/listings/remove-listing.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase-deps.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import {
  appleJuice,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  runOutOfTime,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  waiting,
  type Wallet,
} from './trading-world.ts'

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

/** The real chain but for some of its answers. */
function on(answers: Partial<Chain>): PurchaseDeps {
  const { chain } = world.deps
  const port = new Proxy(chain, {
    get: (target, name) => {
      const value: unknown = Reflect.get(answers, name) ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...world.deps, chain: port }
}

/** Asks again where so many ask at once that this machine has no database connection left in time. */
async function insistOnHold(wallet: Wallet['address'], listingId: string): Promise<string> {
  for (;;) {
    try {
      return await placeHold(world.deps, { buyer: wallet, listingId, sendsThrough: 'server' })
    } catch (error) {
      if (error instanceof Failure) throw error
    }
  }
}

const refusal = (code: string) => expect.objectContaining({ code })
const isRecorded = async (signature: string) =>
  (await world.connection.pool.query('select from payments where signature = $1', [signature])).rowCount === 1
const count = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.filter((outcome) => outcome.status === 'fulfilled').length

describe('bytes that are handed in', () => {
  it('are recorded before the chain gets them', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    const recordedWhenSent: boolean[] = []
    const deps = on({ broadcast: async () => void recordedWhenSent.push(await isRecorded(payment.signature)) })
    await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    expect(recordedWhenSent).toEqual([true])
  })

  it('are sent by a watcher where the server died before it sent them', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(on({ broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    expect((await world.chain.statuses([payment.signature])).size).toBe(0)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('are refused once their blockhash is dead, and where they would fail', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const { base64 } = await signPayment(world, buyer, purchase)
    for (const answers of [{ isBlockhashValid: async () => false }, { simulate: async () => 'it would fail' }]) {
      await expect(submitPayment(on(answers), buyer.address, purchase.purchaseId, base64)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })
})

describe('a payment that the chain has not confirmed', () => {
  it.each<[string, Commitment, PurchaseDeps['settings']['settleAt']]>([
    ['processed', 'processed', 'confirmed'],
    ['confirmed where finalized is asked for', 'confirmed', 'finalized'],
  ])('but merely %s delivers nothing yet', async (_, commitment, settleAt) => {
    const listingId = await listAnew()
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const early = on({
      statuses: async (signatures: readonly Signature[]) => {
        const known = await world.chain.statuses(signatures)
        return new Map([...known].map(([name, status]) => [name, { ...status, commitment }]))
      },
    })
    const deps = { ...early, settings: { ...early.settings, settleAt } }
    expect(await confirmPurchase(deps, buyer.address, listingId, signature)).toMatchObject({ settled: false })
    await reconcileOnce(deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })
})

describe('a hold that a wallet may have paid by itself', () => {
  it('stays, however often it is looked at, while a payment signed in time can still land', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    const payment = await signPayment(world, buyer, purchase)
    await runOutOfTime(world, purchase.purchaseId)
    for (let look = 0; look < 4; look++) {
      await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
      await reconcileOnce(world.deps)
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    }
    await sendByWallet(world, payment)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('stays while a transaction that may pay for it cannot be read', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    const unread = on({ transaction: async () => undefined })
    await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchase.purchaseId])
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).get(signature)?.commitment).toBe('finalized'), waiting)
    await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
    await reconcileOnce(unread)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('on another chain than the one of the hold', () => {
  const elsewhere = () => on({ genesisHash: async () => 'another chain' })

  it('a payment settles nothing', async () => {
    const listingId = await listAnew()
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await expect(confirmPurchase(elsewhere(), buyer.address, listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })

  it('no payment is taken', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const { base64 } = await signPayment(world, buyer, purchase)
    await expect(submitPayment(elsewhere(), buyer.address, purchase.purchaseId, base64)).rejects.toEqual(refusal('HOLD_ENDED'))
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })

  it('a hold that the server sends for ends without blame', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'server')
    await runOutOfTime(world, purchase.purchaseId)
    await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
    await reconcileOnce(elsewhere())
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'chain_gone' })
  })

  it('the hold ends, and the lot is free', async () => {
    const listingId = await listAnew()
    const purchase = await hold(world, buyer, listingId, 'wallet')
    await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
    await reconcileOnce(elsewhere())
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'chain_gone' })
    expect(await removeListing(world.database, seller.address, listingId)).toMatchObject({ status: 'removed' })
  })

  it('no hold is released by what that chain does not show', async () => {
    const purchase = await hold(world, buyer, await listAnew(), 'wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await world.connection.pool.query(`update purchases set pay_before = now(), release_height = 0, reconcile_at = now() where id = $1`, [
      purchase.purchaseId,
    ])
    const empty = { signaturesFor: async () => [], statusOf: async () => undefined }
    const deps = on({
      recentSignatures: async () => [],
      finalized: async () => ({ genesisHash: 'another chain', slot: 1_000_000n, height: 1_000_000n, ...empty }),
    })
    await reconcileOnce(deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('races', () => {
  it('a lot has one holder among 200 simultaneous buyers', { timeout: 120_000 }, async () => {
    const listingId = await listAnew()
    const buyers: Wallet[] = []
    while (buyers.length < 200) buyers.push(...(await Promise.all(Array.from({ length: 25 }, () => world.createWallet()))))
    const outcomes = await Promise.allSettled(buyers.map(({ address }) => insistOnHold(address, listingId)))
    expect(count(outcomes)).toBe(1)
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(lost).toEqual(Array.from({ length: 199 }, () => refusal('LISTING_HELD')))
  })

  it('a lot is either removed or held, never both', async () => {
    for (let round = 0; round < 15; round++) {
      const listingId = await listAnew()
      const [removed, held] = await Promise.allSettled([
        removeListing(world.database, seller.address, listingId),
        hold(world, buyer, listingId),
      ])
      expect(count([removed, held])).toBe(1)
      if (held.status === 'fulfilled') await cancelHold(world.deps, buyer.address, held.value.purchaseId)
    }
  })

  it('a payment is either taken or its hold let go, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const purchase = await hold(world, buyer, await listAnew())
      const { base64 } = await signPayment(world, buyer, purchase)
      const [taken, gone] = await Promise.allSettled([
        submitPayment(world.deps, buyer.address, purchase.purchaseId, base64),
        cancelHold(world.deps, buyer.address, purchase.purchaseId),
      ])
      expect(count([taken, gone])).toBe(1)
      await untilStatus(world, purchase.purchaseId, taken.status === 'fulfilled' ? 'settled' : 'ended')
    }
  })

  it('of two payments for two purchases of one lot one is delivered', async () => {
    const listingId = await listAnew()
    const rival = await world.createWallet()
    const first = await hold(world, buyer, listingId)
    await cancelHold(world.deps, buyer.address, first.purchaseId)
    const late = await sendByWallet(world, await signPayment(world, buyer, first))
    const second = await hold(world, rival, listingId)
    await cancelHold(world.deps, rival.address, second.purchaseId)
    const later = await sendByWallet(world, await signPayment(world, rival, second))
    const outcomes = await Promise.allSettled([
      confirmPurchase(world.deps, buyer.address, listingId, late),
      confirmPurchase(world.deps, rival.address, listingId, later),
    ])
    expect(count(outcomes)).toBe(1)
    expect([await appleJuice(world, buyer), await appleJuice(world, rival)].toSorted((a, b) => a - b)).toEqual([1_000, 1_010])
  })
})

describe('the database refuses by itself', () => {
  const query = (text: string, values: unknown[]) => world.connection.pool.query(text, values)
  const violating = (constraint: string) => expect.objectContaining({ constraint })

  it('tokens of a lot that leave escrow twice, or enter it twice', async () => {
    const listingId = await listAnew()
    await removeListing(world.database, seller.address, listingId)
    const post = (kind: string) => query('select post_transfer($1, $2, 10, $3, $4)', [kind, 'APPLE_JUICE', seller.address, listingId])
    await expect(post('return')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('sale')).rejects.toEqual(violating('transfers_out_of_escrow'))
    await expect(post('escrow')).rejects.toEqual(violating('transfers_into_escrow'))
  })

  it('a second hold or sale of a lot, a twin of a hold, and a second payment under way', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(on({ broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    const other = await list(world, seller, { price })
    const copy = (listingId: string, buyerAddress: string) =>
      query(
        `insert into purchases (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before)
         select $2, $3, seller, token_type, amount, price_lamports, gen_random_uuid(), genesis_hash, held_at_slot, true, pay_before from purchases where id = $1`,
        [purchase.purchaseId, listingId, buyerAddress],
      )
    await expect(copy(purchase.listingId, seller.address + '2')).rejects.toEqual(violating('purchases_one_hold_a_listing'))
    await expect(copy(other, buyer.address)).rejects.toEqual(violating('purchases_no_ambiguous_holds'))
    const again = query(
      `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
       select 'another', kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status from payments where signature = $1`,
      [payment.signature],
    )
    await expect(again).rejects.toEqual(violating('payments_one_recorded'))
    await untilStatus(world, purchase.purchaseId, 'settled')
    const settled = `insert into purchases
       (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, status, signature, settled_at)
       select $2, buyer, seller, token_type, amount, price_lamports, gen_random_uuid(), genesis_hash, held_at_slot, true, pay_before, 'settled', $3, now()
       from purchases where id = $1`
    await expect(query(settled, [purchase.purchaseId, purchase.listingId, 'another'])).rejects.toEqual(
      violating('purchases_one_sale_a_listing'),
    )
    await expect(query(settled, [purchase.purchaseId, other, payment.signature])).rejects.toEqual(violating('purchases_signature_key'))
  })
})
