import { randomBytes } from 'node:crypto'
import { MAX_SELLERS } from '@juicebar/contract/limits'
import { lamports } from '@juicebar/contract/money'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { hashMessage, withSignature } from '../../../src/chain/transactions/message.ts'
import { decodeSignedTransaction } from '../../../src/chain/transactions/signed-transaction.ts'
import { createCoSigners } from '../../../src/purchases/purchase/co-signer.ts'
import { verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { findCoSignedFlaw } from '../../../src/purchases/payment/signed-payment.ts'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { coSignedTransfer, signAsBuyer } from '../../purchases/co-signed/co-signed-transactions.ts'
import { callRpc } from '../../purchases/trading-world.ts'
import { type SignedPayment } from '../../purchases/transactions.ts'
import { SOL, useChainClients, waiting } from '../chain-clients.ts'
import { otherSignature } from '../../../chaos/players/second-signature.ts'
import { toBase64 } from './hand-made.ts'
import { newWallet, walletAddress } from './transactions.ts'
import { around, installLighthouse, MAX_BYTES } from './wallet-guards.ts'

// What co-signed payments rest on, on a real chain.
const versions = ['legacy', 0] as const
const PRICE = lamports(SOL / 100n)
/** Of two signatures. */
const NETWORK_FEE = 10_000n

const clients = useChainClients()
const secrets = ['r'.repeat(32)]
const coSigners = createCoSigners(secrets)

let chain: SolanaChain
beforeAll(async () => {
  chain = await clients.start()
  await installLighthouse(clients.surfnet.rpcUrl)
})

/** A payment to so many sellers that only its buyer has signed, with what Phantom adds if `guarded`. */
async function buyerSigned({ version = 0, sellers = 1, guarded = false }: { version?: 'legacy' | 0; sellers?: number; guarded?: boolean }) {
  const seed = randomBytes(32)
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed)
  const buyer = { signer, address: walletAddress(signer.address) }
  clients.surfnet.fund([buyer.address], SOL)
  const reference = createReferences(secrets).make('purchase', buyer.address)
  const recipients = await Promise.all(Array.from({ length: sellers }, newWallet))
  clients.surfnet.fund(
    recipients.map(({ address }) => address),
    SOL,
  )
  const transfers = recipients.map(({ address: to }) => ({ to, lamports: PRICE }))
  const payments = transfers.map(({ to, lamports: amount }) =>
    coSignedTransfer(buyer, to, amount, { reference, coSigner: coSigners.current }),
  )
  const { before, after } = guarded ? around(buyer, 3) : { before: [], after: [] }
  const sinceSlot = await chain.highestSlot()
  const signed = await signAsBuyer({ chain }, buyer, [...before, ...payments, ...after], { version })
  return { signed, buyer, seed, sinceSlot, expected: { from: buyer.address, transfers, reference } }
}
type BuyerSigned = Awaited<ReturnType<typeof buyerSigned>>

const decode = (bytes: Uint8Array) => decodeSignedTransaction(toBase64(bytes))!

/** The bytes with the signature of the market. */
function complete({ bytes }: Pick<SignedPayment, 'bytes'>): Uint8Array {
  return withSignature(bytes, coSigners.current, coSigners.sign(coSigners.current, decode(bytes).message))
}

const unsigned = 'did not pass signature verification'

/** Hands bytes to the chain as anybody could, without any check before. */
const send = (bytes: Uint8Array) =>
  callRpc(clients.surfnet.rpcUrl, 'sendTransaction', [toBase64(bytes), { encoding: 'base64', skipPreflight: true }])

async function untilLanded({ expected: { reference }, sinceSlot }: BuyerSigned) {
  return vi.waitFor(async () => {
    const [entry] = await chain.recentSignatures(reference, sinceSlot, 10)
    const landed = entry && (await chain.transaction(entry.signature))
    expect(landed).toBeDefined()
    return landed!
  }, waiting)
}

/** Whoever saw it land would see the buyer's SOL move. */
async function expectNothingMoved({ buyer, expected: { reference }, sinceSlot }: BuyerSigned): Promise<void> {
  await clients.surfnet.mine(2)
  expect(await chain.recentSignatures(reference, sinceSlot, 10)).toEqual([])
  expect(await chain.balance(buyer.address, { fresh: true })).toBe(SOL)
}

describe.each(versions)('a payment of version %s that only its buyer has signed', (version) => {
  test('is the message that the market signs, and simulates without its signature', async () => {
    const payment = await buyerSigned({ version })
    expect(findCoSignedFlaw(decode(payment.signed.bytes), payment.expected, [coSigners.current], 'empty')).toBeUndefined()
    const simulated = await chain.simulate(payment.signed.bytes, { awaitsCoSigner: payment.buyer.address })
    expect(simulated).toMatchObject({ kind: 'valid', balance: SOL - PRICE - NETWORK_FEE })
    expect(await chain.simulate(payment.signed.bytes)).toMatchObject({ kind: 'fails', reason: 'its signature is not valid.' })
    await expectNothingMoved(payment)
  })

  test('is refused by the chain, and so is one with a forged signature of the market', async () => {
    const payment = await buyerSigned({ version })
    const { bytes } = payment.signed
    await expect(send(bytes)).rejects.toThrow(unsigned)
    const stranger = createCoSigners(['s'.repeat(32)])
    const forgeries = [
      stranger.sign(stranger.current, decode(bytes).message),
      coSigners.sign(coSigners.current, Buffer.from('another message')),
      coSigners.sign(coSigners.refund, decode(bytes).message),
      randomBytes(64),
    ]
    for (const forgery of forgeries) await expect(send(withSignature(bytes, coSigners.current, forgery))).rejects.toThrow(unsigned)
    await expectNothingMoved(payment)
  })

  test('lands once the market has signed it, and pays as agreed', async () => {
    const payment = await buyerSigned({ version })
    const bytes = complete(payment.signed)
    expect(findCoSignedFlaw(decode(bytes), payment.expected, [coSigners.current], 'valid')).toBeUndefined()
    await chain.broadcast(bytes)
    const landed = await untilLanded(payment)
    expect(landed).toMatchObject({
      signature: payment.signed.signature,
      failed: false,
      signers: [payment.buyer.address, coSigners.current],
    })
    expect(landed.bytes).toEqual(bytes)
    expect(await chain.balance(payment.buyer.address, { fresh: true })).toBe(SOL - PRICE - NETWORK_FEE)
  })

  test('is the same payment whichever valid signature its buyer has made, and the market’s fits all of them', async () => {
    const payment = await buyerSigned({ version })
    const { message } = decode(payment.signed.bytes)
    const bytes = complete(payment.signed)
    const again = Uint8Array.from(bytes)
    again.set(otherSignature(payment.seed, message), 1)
    expect(decode(again)).toMatchObject({ signaturesValid: true })
    expect(decode(again).signature).not.toBe(payment.signed.signature)
    expect(hashMessage(again)).toEqual(hashMessage(bytes))
    await send(again)
    const landed = await untilLanded(payment)
    expect(landed.signature).toBe(decode(again).signature)
    expect(hashMessage(landed.bytes)).toEqual(hashMessage(payment.signed.bytes))
  })

  test('to as many sellers as there may be, and for the fee, has room for what Phantom adds', async () => {
    const payment = await buyerSigned({ version, sellers: MAX_SELLERS + 1, guarded: true })
    const { bytes } = payment.signed
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    expect(findCoSignedFlaw(decode(bytes), payment.expected, [coSigners.current], 'empty')).toBeUndefined()
    expect(await chain.simulate(bytes, { awaitsCoSigner: payment.buyer.address })).toMatchObject({ kind: 'valid' })
    await chain.broadcast(complete(payment.signed))
    const landed = await untilLanded(payment)
    const terms = {
      buyer: payment.buyer.address,
      transfers: payment.expected.transfers,
      reference: payment.expected.reference,
      heldAtSlot: 0n,
    }
    expect(verifyPayment(landed, terms)).toEqual({ kind: 'pays', referenced: true })
  })
})
