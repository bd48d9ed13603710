import { type Signature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { describe, expect, it } from 'vitest'
import { decodeLandedTransaction, type TransactionReply } from '../../../src/chain/transactions/landed-transaction.ts'
import { verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { settlesOnStatus } from '../../../src/purchases/payment/payment-terms.ts'
import { type HandMadeMessage, messageBytes, newKey, signedBytes, toBase64, transferData } from '../../chain/transactions/hand-made.ts'
import { purchaseOf } from './landed-transactions.ts'

type Amounts = readonly [bigint, bigint, bigint]

const LAMPORTS = 5_000_000n

const buyer = newKey()
const newAddress = () => newKey().address
const [ann, bob, studio, reference, blockhash, table] = [newAddress(), newAddress(), newAddress(), newAddress(), newAddress(), newAddress()]

function signed(message: HandMadeMessage) {
  const bytes = signedBytes(messageBytes(message), [buyer])
  return { bytes, signature: base58.encode(bytes.subarray(1, 65)) as Signature }
}

/** The recorded payment of a message, or of one whose row differs. */
function recorded(message: HandMadeMessage, row: Partial<Parameters<typeof settlesOnStatus>[0]> = {}) {
  const { bytes, signature } = signed(message)
  return { kind: 'purchase', status: 'recorded', signature, transactionBytes: Buffer.from(bytes), ...row } as const
}

describe('a status is enough to settle with recorded bytes', () => {
  const expected = { from: buyer.address, transfers: [{ to: ann, lamports: LAMPORTS }], reference }
  const paying = (lamports: bigint, accounts = [0, 1, 2]) => ({ instructions: [{ program: 3, accounts, data: transferData(lamports) }] })
  const accounts = [buyer.address, ann, reference, SYSTEM_PROGRAM_ADDRESS]
  const agreed: HandMadeMessage = { version: 0, header: [1, 0, 2], accounts, blockhash, ...paying(LAMPORTS) }

  it.each([
    ['of version 0', recorded(agreed)],
    ['of a legacy transaction', recorded({ ...agreed, version: 'legacy' })],
  ])('%s that are the agreed payment', (_, payment) => {
    expect(settlesOnStatus(payment, expected)).toBe(true)
  })

  it.each([
    ['if they look accounts up, even one that nothing uses', recorded({ ...agreed, lookups: [{ table, writable: [1], readonly: [] }] })],
    ['if they pay too little', recorded({ ...agreed, ...paying(LAMPORTS - 1n) })],
    ['if they carry no reference', recorded({ ...agreed, ...paying(LAMPORTS, [0, 1]) })],
    ['if they are a refund', recorded(agreed, { kind: 'refund' })],
    ['if they are void', recorded(agreed, { status: 'void' })],
    ['if the row names another signature', recorded(agreed, { signature: signed({ ...agreed, blockhash: table }).signature })],
    ['if the bytes are damaged', recorded(agreed, { transactionBytes: Buffer.alloc(200) })],
  ])('but not %s', (_, payment) => {
    expect(settlesOnStatus(payment, expected)).toBe(false)
  })
})

describe('a payment of several transfers', () => {
  const basket = { ...purchaseOf('basket', buyer.address, [ann, 50n], [bob, 70n], [studio, 6n]), reference }
  const expected = { from: basket.buyer, transfers: basket.transfers, reference }

  /** Transfers of these amounts to the accounts with these indices, all of which carry the account at `carried`. */
  const transfersTo = (recipients: number[], amounts: Amounts, { program, carried }: { program: number; carried: number }) =>
    recipients.map((to, index) => ({ program, accounts: [0, to, carried], data: transferData(amounts[index] ?? 0n) }))

  /** All accounts in the message itself. */
  function plain(version: 'legacy' | 0, amounts: Amounts): HandMadeMessage {
    const accounts = [buyer.address, ann, bob, studio, SYSTEM_PROGRAM_ADDRESS, reference]
    const instructions = transfersTo([1, 2, 3], amounts, { program: 4, carried: 5 })
    return { version, header: [1, 0, 2], accounts, blockhash, instructions }
  }

  /** Bob, the studio and the reference come from a lookup table. */
  function lookedUp(amounts: Amounts): HandMadeMessage {
    const accounts = [buyer.address, ann, SYSTEM_PROGRAM_ADDRESS]
    const instructions = transfersTo([1, 3, 4], amounts, { program: 2, carried: 5 })
    const lookups = [{ table, writable: [7, 8], readonly: [2] }]
    return { version: 0, header: [1, 0, 1], accounts, blockhash, instructions, lookups }
  }

  function landed(message: HandMadeMessage) {
    const { bytes, signature } = signed(message)
    const loadedAddresses = message.lookups ? { writable: [bob, studio], readonly: [reference] } : { writable: [], readonly: [] }
    const meta = { err: null, loadedAddresses, innerInstructions: [] }
    return decodeLandedTransaction(signature, { slot: 120n, transaction: [toBase64(bytes), 'base64'], meta } as unknown as TransactionReply)
  }

  it.each([
    ['of a legacy transaction', (amounts: Amounts) => plain('legacy', amounts)],
    ['of version 0', (amounts: Amounts) => plain(0, amounts)],
    ['of version 0 whose accounts come from a lookup table', lookedUp],
  ])('%s counts once it has landed, if nothing is wrong', (_, message) => {
    expect(verifyPayment(landed(message([50n, 70n, 6n])), basket)).toEqual({ kind: 'pays', referenced: true })
    expect(verifyPayment(landed(message([50n, 70n, 5n])), basket)).toMatchObject({ kind: 'wrong', referenced: true })
    expect(verifyPayment(landed(message([70n, 50n, 6n])), basket)).toMatchObject({ kind: 'wrong', referenced: true })
  })

  it.each([
    ['of a legacy transaction', plain('legacy', [50n, 70n, 6n]), true],
    ['of version 0', plain(0, [50n, 70n, 6n]), true],
    ['with one amount too small', plain(0, [50n, 69n, 6n]), false],
    ['that looks accounts up', lookedUp([50n, 70n, 6n]), false],
  ])('%s is settled by its status alone, or not at all', (_, message, settles) => {
    expect(settlesOnStatus(recorded(message), expected)).toBe(settles)
  })
})
