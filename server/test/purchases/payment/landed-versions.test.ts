import { parseSignature, type Signature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { describe, expect, it } from 'vitest'

import { decodeLandedTransaction, type TransactionReply } from '../../../src/chain/transactions/landed-transaction.ts'
import { verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { settlesOnStatus } from '../../../src/purchases/payment/recorded-payment.ts'
import { type HandMadeMessage, messageBytes, newKey, signedBytes, toBase64, transferData } from '../../chain/hand-made.ts'
import { purchaseOf } from './landed-transactions.ts'

const buyer = newKey()
const [ann, bob, studio, blockhash, table] = Array.from({ length: 5 }, () => newKey().address) as [string, string, string, string, string]
const basket = {
  ...purchaseOf('basket', buyer.address, [
    [ann, 50n],
    [bob, 70n],
    [studio, 6n],
  ]),
  reference: newKey().address,
}
const expected = { from: basket.buyer, transfers: basket.transfers, reference: basket.reference }

/** A transfer of each amount to the accounts with these indices, all of which carry the account at `reference`. */
function transfersTo(amounts: readonly (readonly [to: number, amount: bigint])[], { program = 1, reference }: Record<string, number>) {
  return amounts.map(([to, amount]) => ({ program, accounts: [0, to, reference ?? 0], data: transferData(amount) }))
}

/** All accounts in the message itself: buyer, recipients, System program, reference. */
function plain(version: 'legacy' | 0, amounts: readonly [bigint, bigint, bigint]): HandMadeMessage {
  const accounts = [buyer.address, ann, bob, studio, SYSTEM_PROGRAM_ADDRESS, basket.reference]
  const transfers = transfersTo(
    [1, 2, 3].map((to, index) => [to, amounts[index] ?? 0n] as const),
    { program: 4, reference: 5 },
  )
  return { version, header: [1, 0, 2], accounts, blockhash, instructions: transfers }
}

/** Bob, the studio and the reference come from a lookup table. */
function lookedUp(amounts: readonly [bigint, bigint, bigint]): HandMadeMessage {
  const accounts = [buyer.address, ann, SYSTEM_PROGRAM_ADDRESS]
  const transfers = transfersTo(
    [1, 3, 4].map((to, index) => [to, amounts[index] ?? 0n] as const),
    { program: 2, reference: 5 },
  )
  const lookups = [{ table, writable: [7, 8], readonly: [2] }]
  return { version: 0, header: [1, 0, 1], accounts, blockhash, instructions: transfers, lookups }
}

function bytesOf(message: HandMadeMessage) {
  const bytes = signedBytes(messageBytes(message), [buyer])
  const signature = parseSignature(base58.encode(bytes.subarray(1, 65))) ?? ('none' as Signature)
  return { bytes, signature }
}

function landed(message: HandMadeMessage) {
  const { bytes, signature } = bytesOf(message)
  const loadedAddresses = message.lookups ? { writable: [bob, studio], readonly: [basket.reference] } : { writable: [], readonly: [] }
  const meta = { err: null, loadedAddresses, innerInstructions: [] }
  return decodeLandedTransaction(signature, { slot: 120n, transaction: [toBase64(bytes), 'base64'], meta } as unknown as TransactionReply)
}

describe('a payment of several transfers', () => {
  it.each([
    ['of a legacy transaction', (amounts: [bigint, bigint, bigint]) => plain('legacy', amounts)],
    ['of version 0', (amounts: [bigint, bigint, bigint]) => plain(0, amounts)],
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
    const { bytes, signature } = bytesOf(message)
    const recorded = { kind: 'purchase', status: 'recorded', signature, transactionBytes: Buffer.from(bytes) } as const
    expect(settlesOnStatus(recorded, expected)).toBe(settles)
  })
})
