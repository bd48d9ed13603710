import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { AccountRole } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { submitPayment } from '../../../src/purchases/payment/submit-payment.ts'
import { type PaymentChanges, refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

/** A hold that is paid through the server, and its signed payment, which may differ from the agreed one. */
async function holdAndSign(change: (purchase: Purchase) => PaymentChanges & { by?: Wallet } = () => ({})) {
  const purchase = await world.holdNew()
  const { by = world.buyer, ...changes } = change(purchase)
  return { purchase, payment: await world.signPayment(by, purchase, changes) }
}

const seenBut = (...changes: Parameters<typeof world.chainBut>) => world.seenWith({ deps: world.chainBut(...changes) })
/** A server that dies before it can broadcast. */
const silent = () => seenBut({ broadcast: async () => undefined })

describe('a submitted payment', () => {
  it('is recorded before it is broadcast', async () => {
    const { purchase, payment } = await holdAndSign()
    const recorded = () => world.connection.pool.query('select from payments where signature = $1', [payment.signature])
    const recordedWhenBroadcast: (number | null)[] = []
    const seen = seenBut({ broadcast: async () => void recordedWhenBroadcast.push((await recorded()).rowCount) })
    await seen.submit(world.buyer, purchase, payment)
    expect(recordedWhenBroadcast).toEqual([1])
  })

  it('is broadcast by reconciliation if the server died before it could', async () => {
    const { purchase, payment } = await holdAndSign()
    await silent().submit(world.buyer, purchase, payment)
    expect((await world.chain.statuses([payment.signature])).size).toBe(0)
    await world.untilStatus(purchase, 'settled')
  })

  it('is refused if its blockhash has expired or its simulation fails', async () => {
    const { purchase, payment } = await holdAndSign()
    for (const simulation of [{ kind: 'expired' }, { kind: 'fails', reason: 'it would fail' }] as const) {
      const seen = seenBut({ simulate: async () => simulation })
      await expect(seen.submit(world.buyer, purchase, payment)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    await world.cancel(world.buyer, purchase)
  })
})

describe('a submitted payment that is not the agreed one', () => {
  it.each<[string, (purchase: Purchase) => PaymentChanges & { by?: Wallet }]>([
    ['pays one lamport less', ({ lamports }) => ({ lamports: BigInt(lamports) - 1n })],
    ['pays one lamport more', ({ lamports }) => ({ lamports: BigInt(lamports) + 1n })],
    ['pays another wallet', () => ({ to: world.rival.address })],
    ['carries no reference', () => ({ references: [] })],
    ['carries a second reference', ({ reference }) => ({ references: [reference, world.rival.address] })],
    ['is signed by someone else', () => ({ by: world.rival })],
    ['also drains the buyer', () => ({ after: [transfer(world.buyer, world.rival.address, 1_000_000n)] })],
    ['uses a durable nonce, so it could land at any later time', () => ({ before: [advanceNonce(world.buyer)] })],
  ])('is refused and not sent: it %s', async (_, change) => {
    const { purchase, payment } = await holdAndSign(change)
    await expect(world.submit(world.buyer, purchase, payment)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)).toBeUndefined()
    await world.cancel(world.buyer, purchase)
  })

  it('is refused: it is not a transaction', async () => {
    const { buyer, deps } = world
    const purchase = await world.holdNew()
    for (const garbage of ['AAAA', 'not base64', Buffer.alloc(1200).toString('base64')])
      await expect(submitPayment(deps, buyer.address, purchase.purchaseId, garbage)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    await world.cancel(buyer, purchase)
  })

  it("is refused: it is for someone else's purchase", async () => {
    const { purchase, payment } = await holdAndSign()
    await expect(world.submit(world.rival, purchase, payment)).rejects.toEqual(refusal('PURCHASE_NOT_FOUND'))
    await expect(world.cancel(world.rival, purchase)).rejects.toEqual(refusal('PURCHASE_NOT_FOUND'))
    await world.cancel(world.buyer, purchase)
  })
})

it('a payment that no endpoint accepts does not hold the listing for ever', async () => {
  const { purchase, payment } = await holdAndSign()
  const seen = seenBut({ broadcast: () => Promise.reject(new Failure('CHAIN_DOWN')) })
  expect(await seen.submit(world.buyer, purchase, payment)).toBe(payment.signature)
  await world.closePaymentWindow(purchase)
  await seen.untilStatus(purchase, 'ended')
  expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
})

it('a payment whose failure is finalized makes room for another', async () => {
  const { buyer, seller } = world
  const spent = 5_000_000_000n
  const purchase = await world.hold(buyer, await world.list(seller, { price: 9_000_000_000n }))
  const payment = await world.signPayment(buyer, purchase)
  await silent().submit(buyer, purchase, payment)
  await world.transact(buyer, transfer(buyer, seller.address, spent))
  await world.sendByWallet(payment)
  await world.reconcileUntil(async () => {
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'none', signature: null })
  })
  await expect(world.confirm(buyer, purchase.listingId, payment.signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
  await world.transact(seller, transfer(seller, buyer.address, spent))
  const second = await world.signPayment(buyer, purchase)
  expect(await world.submit(buyer, purchase, second)).toBe(second.signature)
  await world.untilStatus(purchase, 'settled')
})

describe('the same transaction bytes, submitted', () => {
  it('several times at once, are one payment with one answer', async () => {
    const { purchase, payment } = await holdAndSign()
    // While one call is still checking the bytes, the other broadcasts them and they settle the purchase.
    let go: () => void = () => undefined
    const delayed = new Promise<void>((resolve) => (go = resolve))
    const slow = seenBut({ highestBlockHeight: () => delayed.then(() => world.chain.highestBlockHeight()) })
    const answer = slow.submit(world.buyer, purchase, payment)
    expect(await world.submit(world.buyer, purchase, payment)).toBe(payment.signature)
    await world.untilStatus(purchase, 'settled')
    go()
    expect(await answer).toBe(payment.signature)
  })

  it('after the hold ended, are not broadcast again', async () => {
    const { purchase, payment } = await holdAndSign()
    await silent().submit(world.buyer, purchase, payment)
    // As after a restart of the local chain, which might accept the same bytes again.
    await world.connection.pool.query(`update payments set status = 'void' where signature = $1`, [payment.signature])
    await world.cancel(world.buyer, purchase)
    let sent = 0
    const counting = seenBut({ broadcast: async () => void (sent += 1) })
    expect(await counting.submit(world.buyer, purchase, payment)).toBe(payment.signature)
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
