import { lamports } from '@juicebar/contract/money'
import { MAX_SELLERS } from '@juicebar/contract/limits'
import { address } from '@solana/kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodePayment } from '../../../src/purchases/payment/signed-payment.ts'
import { verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { around, installLighthouse, MAX_BYTES } from '../../chain/transactions/wallet-guards.ts'
import { refusal, useTradingWorld } from '../trading-world.ts'
import { signTransaction, transfer, type TransactionVersion } from '../transactions.ts'

const versions: TransactionVersion[] = ['legacy', 0, 1]

const world = useTradingWorld()

beforeAll(() => installLighthouse(world.rpcUrl))

describe('a payment with what Phantom adds', () => {
  it.each(versions)('is delivered if it is submitted in version %s', async (version) => {
    const purchase = await world.holdNew()
    await world.submit(world.buyer, purchase, await world.signPayment(world.buyer, purchase, { ...around(world.buyer, 3), version }))
    await world.untilStatus(purchase, 'settled')
  })

  it.each(versions)('is delivered if the wallet sends it in version %s', async (version) => {
    const purchase = await world.holdNew(world.buyer)
    await world.payByWallet(world.buyer, purchase, { ...around(world.buyer, 3), version })
    await world.untilStatus(purchase, 'settled')
  })

  it.each(versions)('is accepted in version %s wherever its guards are', async (version) => {
    const { buyer } = world
    const purchase = await world.holdNew(buyer)
    const { seller: to, reference } = purchase
    const expected = { from: buyer.address, transfers: [{ to, lamports: BigInt(purchase.lamports) }], reference }
    for (const guardsBefore of [0, 1, 2, 3, 4]) {
      const { base64, bytes } = await world.signPayment(buyer, purchase, { ...around(buyer, guardsBefore), version })
      expect(decodePayment(base64, expected)).toMatchObject({ bytes, signaturesValid: true })
    }
  })

  it.each(versions)('is refused in version %s if it does something else besides', async (version) => {
    const purchase = await world.holdNew(world.buyer)
    const { before, after } = around(world.buyer, 3)
    const stranger = { programAddress: address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'), data: Uint8Array.from([1]) }
    const payment = await world.signPayment(world.buyer, purchase, { before, after: [...after, stranger], version })
    await expect(world.submit(world.buyer, purchase, payment)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
  })
})

describe('a payment to as many sellers as a purchase may have, and of the fee,', () => {
  it.each(['legacy', 0] as const)('fits into a transaction of version %s with what Phantom adds, and counts', async (version) => {
    const { buyer } = world
    const recipients = await Promise.all(Array.from({ length: MAX_SELLERS + 1 }, () => world.createWallet()))
    const transfers = recipients.map(({ address: to }, index) => ({ to, lamports: lamports(1_000_000n + BigInt(index)) }))
    const reference = world.deps.references.make('purchase', buyer.address)
    const payments = transfers.map(({ to, lamports: amount }) => transfer(buyer, to, amount, [reference]))
    const { before, after } = around(buyer, 3)
    const signed = await signTransaction(world, buyer, [...before, ...payments, ...after], { version })
    expect(signed.bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    const decoded = decodePayment(signed.base64, { from: buyer.address, transfers, reference })
    expect(decoded).toMatchObject({ bytes: signed.bytes, signaturesValid: true, version })
    const landed = await world.chain.transaction(await world.sendByWallet(signed))
    const terms = { buyer: buyer.address, transfers, reference, heldAtSlot: 0n }
    expect(landed && verifyPayment(landed, terms)).toEqual({ kind: 'pays', referenced: true })
  })
})
