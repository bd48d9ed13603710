import { type Purchase } from '@juicebar/contract/schemas'
import { AccountRole } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { closePaymentWindow, makeDue } from '../reconciling.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  reconcileUntil,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let stranger: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, stranger] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const refusal = (code: string) => expect.objectContaining({ code })
const isRecorded = async (signature: string) =>
  (await world.connection.pool.query('select from payments where signature = $1', [signature])).rowCount === 1

describe('a submitted payment', () => {
  it('is recorded before it is broadcast', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    const recordedWhenBroadcast: boolean[] = []
    const deps = chainBut(world, { broadcast: async () => void recordedWhenBroadcast.push(await isRecorded(payment.signature)) })
    await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    expect(recordedWhenBroadcast).toEqual([true])
  })

  it('is broadcast by reconciliation if the server died before it could', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    expect((await world.chain.statuses([payment.signature])).size).toBe(0)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('is refused if its blockhash has expired or its simulation fails', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const { base64 } = await signPayment(world, buyer, purchase)
    for (const simulation of [{ kind: 'expired' }, { kind: 'fails', reason: 'it would fail' }] as const) {
      const deps = chainBut(world, { simulate: async () => simulation })
      await expect(submitPayment(deps, buyer.address, purchase.purchaseId, base64)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })
})

describe('a submitted payment that is not the agreed one', () => {
  const attack = async (make: (purchase: Purchase) => ReturnType<typeof signPayment>) => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await make(purchase)
    await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, payment.base64)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)).toBeUndefined()
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  }

  it.each<[string, (purchase: Purchase) => ReturnType<typeof signPayment>]>([
    ['pays one lamport less', (purchase) => signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) - 1n })],
    ['pays one lamport more', (purchase) => signPayment(world, buyer, purchase, { lamports: BigInt(purchase.lamports) + 1n })],
    ['pays another wallet', (purchase) => signPayment(world, buyer, purchase, { to: stranger.address })],
    ['carries no reference', (purchase) => signPayment(world, buyer, purchase, { references: [] })],
    [
      'carries a second reference',
      (purchase) => signPayment(world, buyer, purchase, { references: [purchase.reference, stranger.address] }),
    ],
    ['is signed by someone else', (purchase) => signPayment(world, stranger, purchase, { from: stranger })],
    [
      'also drains the buyer',
      (purchase) => signPayment(world, buyer, purchase, { after: [transfer(buyer, stranger.address, 1_000_000n)] }),
    ],
    [
      'uses a durable nonce, so it could land at any later time',
      (purchase) => signPayment(world, buyer, purchase, { before: [advanceNonce(buyer)] }),
    ],
  ])('is refused and not sent: it %s', async (_, make) => attack(make))

  it('is refused: it is not a transaction', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    for (const garbage of ['AAAA', 'not base64', Buffer.alloc(1200).toString('base64')]) {
      await expect(submitPayment(world.deps, buyer.address, purchase.purchaseId, garbage)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })

  it("is refused: it is for someone else's purchase", async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await expect(submitPayment(world.deps, stranger.address, purchase.purchaseId, payment.base64)).rejects.toEqual(
      refusal('PURCHASE_NOT_FOUND'),
    )
    await expect(cancelHold(world.deps, stranger.address, purchase.purchaseId)).rejects.toEqual(refusal('PURCHASE_NOT_FOUND'))
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })
})

describe('a payment that no endpoint accepts', () => {
  it('does not hold the listing for ever', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    const deps = chainBut(world, { broadcast: () => Promise.reject(new Failure('CHAIN_DOWN')) })
    expect(await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    await closePaymentWindow(world, purchase)
    await untilStatus(world.seenWith({ deps }), purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
  })
})

describe('a payment whose failure is finalized', () => {
  it('makes room for another', async () => {
    const price = 9_000_000_000n
    const purchase = await hold(world, buyer, await list(world, seller, { price }))
    const payment = await signPayment(world, buyer, purchase)
    const elsewhere = transfer(buyer, seller.address, 5_000_000_000n)
    const silent = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(silent, buyer.address, purchase.purchaseId, payment.base64)
    await sendByWallet(world, await signTransaction(world, buyer, [elsewhere]))
    await sendByWallet(world, payment)
    await reconcileUntil(world, async () => {
      await makeDue(world, purchase)
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'none', signature: null })
    })
    await expect(confirmPurchase(world.deps, buyer.address, purchase.listingId, payment.signature)).rejects.toMatchObject({
      code: 'PAYMENT_MISMATCH',
    })
    await sendByWallet(world, await signTransaction(world, seller, [transfer(seller, buyer.address, 5_000_000_000n)]))
    const second = await signPayment(world, buyer, purchase)
    expect(await submitPayment(world.deps, buyer.address, purchase.purchaseId, second.base64)).toBe(second.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('the same transaction bytes, submitted', () => {
  it('several times at once, are one payment with one answer', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    const submit = (deps: PurchaseDeps) => submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    // While one call is still checking the bytes, the other broadcasts them and they settle the purchase.
    let go: () => void = () => undefined
    const delayed = new Promise<void>((resolve) => (go = resolve))
    const slow = submit(chainBut(world, { highestBlockHeight: () => delayed.then(() => world.chain.highestBlockHeight()) }))
    expect(await submit(world.deps)).toBe(payment.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
    go()
    expect(await slow).toBe(payment.signature)
  })

  it('after the hold ended, are not broadcast again', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    // As after a restart of the local chain, which might accept the same bytes again.
    await world.connection.pool.query(`update payments set status = 'void' where signature = $1`, [payment.signature])
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
    let sent = 0
    const counting = chainBut(world, { broadcast: async () => void (sent += 1) })
    expect(await submitPayment(counting, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    expect(sent).toBe(0)
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
