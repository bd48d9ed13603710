import { type Purchase } from '@juicebar/contract/schemas'
import { AccountRole } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { Failure } from '@juicebar/contract/errors'
import { lamports } from '@juicebar/contract/money'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import {
  chainBut,
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

beforeAll(async () => {
  world = await openTradingWorld()
  ;[seller, stranger] = await Promise.all([world.createWallet(), world.createWallet()])
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

let price = 30_000_000n

async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

const refusal = (code: string) => expect.objectContaining({ code })
const isRecorded = async (signature: string) =>
  (await world.connection.pool.query('select from payments where signature = $1', [signature])).rowCount === 1

describe('bytes that are handed in', () => {
  it('are recorded before the chain gets them', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    const recordedWhenSent: boolean[] = []
    const deps = chainBut(world, { broadcast: async () => void recordedWhenSent.push(await isRecorded(payment.signature)) })
    await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    expect(recordedWhenSent).toEqual([true])
  })

  it('are sent by a watcher where the server died before it sent them', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    expect((await world.chain.statuses([payment.signature])).size).toBe(0)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })

  it('are refused once their blockhash is dead, and where they would fail', async () => {
    const purchase = await hold(world, buyer, await listAnew())
    const { base64 } = await signPayment(world, buyer, purchase)
    for (const answers of [{ isBlockhashValid: async () => false }, { simulate: async () => 'it would fail' }]) {
      await expect(submitPayment(chainBut(world, answers), buyer.address, purchase.purchaseId, base64)).rejects.toEqual(
        refusal('PAYMENT_REFUSED'),
      )
    }
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
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

describe('bytes that no endpoint takes', () => {
  it('do not keep the lot held for ever', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 20_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    const deps = chainBut(world, { broadcast: () => Promise.reject(new Failure('CHAIN_DOWN')) })
    expect(await submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)).toBe(payment.signature)
    await runOutOfTime(world, purchase.purchaseId)
    await untilStatus({ ...world, deps }, purchase.purchaseId, 'ended')
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
  })
})

describe('a payment that failed on the chain for good', () => {
  it('makes room for another one', async () => {
    const price = 9_000_000_000n
    const purchase = await hold(world, buyer, await list(world, seller, { price }))
    const payment = await signPayment(world, buyer, purchase)
    const elsewhere = transfer(buyer, seller.address, lamports(5_000_000_000n))
    const quiet = chainBut(world, { broadcast: async () => undefined })
    await submitPayment(quiet, buyer.address, purchase.purchaseId, payment.base64)
    await sendByWallet(world, await signTransaction(world, buyer, [elsewhere]))
    await sendByWallet(world, payment)
    await watchUntil(world, async () => {
      await world.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchase.purchaseId])
      expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'none', signature: null })
    })
    await expect(confirmPurchase(world.deps, buyer.address, purchase.listingId, payment.signature)).rejects.toMatchObject({
      code: 'PAYMENT_MISMATCH',
    })
    await sendByWallet(world, await signTransaction(world, seller, [transfer(seller, buyer.address, lamports(5_000_000_000n))]))
    const second = await signPayment(world, buyer, purchase)
    expect(await submitPayment(world.deps, buyer.address, purchase.purchaseId, second.base64)).toBe(second.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})

describe('the same bytes handed in', () => {
  it('many times at once are one payment with one answer', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 21_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    const submit = (deps: PurchaseDeps) => submitPayment(deps, buyer.address, purchase.purchaseId, payment.base64)
    // One call is slow to check the bytes: meanwhile the other has them sent, and they settle the purchase.
    let go: () => void = () => undefined
    const delayed = new Promise<void>((resolve) => (go = resolve))
    const slow = submit(chainBut(world, { highestBlockHeight: () => delayed.then(() => world.chain.highestBlockHeight()) }))
    expect(await submit(world.deps)).toBe(payment.signature)
    await untilStatus(world, purchase.purchaseId, 'settled')
    go()
    expect(await slow).toBe(payment.signature)
  })

  it('after the hold has ended are not sent any more', async () => {
    const purchase = await hold(world, buyer, await list(world, seller, { price: 22_000_000n }))
    const payment = await signPayment(world, buyer, purchase)
    await submitPayment(chainBut(world, { broadcast: async () => undefined }), buyer.address, purchase.purchaseId, payment.base64)
    // As after a local chain was started anew, which may take the same bytes again.
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
