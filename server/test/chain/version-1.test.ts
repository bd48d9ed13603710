import { base58 } from '@scure/base'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { describe, expect, test } from 'vitest'

import { decodeSignedTransaction } from '../../src/chain/transactions/signed-transaction.ts'
import { type HandMadeMessage, littleEndian, messageBytes, newKey, signedBytes, toBase64, transferData } from './hand-made.ts'
import { someBlockhash } from './transactions.ts'

const payer = newKey()
const receiver = newKey().address

const PRIORITY_FEE = 0b11
const COMPUTE_UNITS = 0b100
const ACCOUNT_DATA = 0b1000
const HEAP_SIZE = 0b10000
const kibibytes = (count: number) => littleEndian(count * 1024, 4)

/** A transfer of 5 lamports, every byte placed by hand. */
const plain: HandMadeMessage = {
  version: 1,
  header: [1, 0, 1],
  accounts: [payer.address, receiver, SYSTEM_PROGRAM_ADDRESS],
  blockhash: someBlockhash,
  instructions: [{ program: 2, accounts: [0, 1], data: transferData(5n) }],
}

function decode(changes: Partial<HandMadeMessage>, keys = [payer]) {
  return decodeSignedTransaction(toBase64(signedBytes(messageBytes({ ...plain, ...changes }), keys)))
}

const configured = (mask: number, ...values: number[][]) => ({ config: { mask, values: Uint8Array.from(values.flat()) } })
const addresses = (count: number) => Array.from({ length: count }, () => newKey().address)
const transfers = (count: number) => Array.from({ length: count }, () => plain.instructions).flat()

describe('a transaction of version 1', () => {
  test.each<[string, Partial<HandMadeMessage>]>([
    ['a priority fee', configured(PRIORITY_FEE, littleEndian(5_000, 8))],
    ['compute units and a limit of account data', configured(COMPUTE_UNITS | ACCOUNT_DATA, littleEndian(200_000, 4), kibibytes(64))],
    ['the least heap', configured(HEAP_SIZE, kibibytes(32))],
    ['the largest heap, and all else', configured(0b11111, littleEndian(1, 8), littleEndian(1, 4), littleEndian(1, 4), kibibytes(256))],
    ['64 accounts', { accounts: [...plain.accounts.slice(0, 2), ...addresses(61), SYSTEM_PROGRAM_ADDRESS], instructions: [] }],
    ['64 instructions', { instructions: transfers(64) }],
  ])('may have %s', (_, changes) => {
    expect(decode(changes)).toMatchObject({ signaturesValid: true, signers: [payer.address], blockhash: someBlockhash })
  })

  test.each<[string, Partial<HandMadeMessage>]>([
    ['half a priority fee', configured(0b01, littleEndian(5_000, 4))],
    ['a configuration that the network does not know', configured(0b100000, littleEndian(1, 4))],
    ['a configuration without a value', configured(0b10000000000000000000000000000000)],
    ['a heap that is too small', configured(HEAP_SIZE, kibibytes(31))],
    ['a heap that is too large', configured(HEAP_SIZE, kibibytes(257))],
    ['a heap of no whole kibibytes', configured(HEAP_SIZE, littleEndian(32 * 1024 + 1, 4))],
    ['65 accounts', { accounts: [...plain.accounts.slice(0, 2), ...addresses(62), SYSTEM_PROGRAM_ADDRESS], instructions: [] }],
    ['65 instructions', { instructions: transfers(65) }],
    ['an account that is not there', { instructions: [{ program: 2, accounts: [0, 3], data: transferData(5n) }] }],
    ['a program that is not there', { instructions: [{ program: 3, accounts: [0, 1], data: transferData(5n) }] }],
    ['its payer for a program', { instructions: [{ program: 0, accounts: [0, 1], data: transferData(5n) }] }],
    ['one account twice', { accounts: [payer.address, receiver, receiver, SYSTEM_PROGRAM_ADDRESS] }],
    ['no writable payer', { header: [1, 1, 1] }],
    ['more read-only accounts than accounts', { header: [1, 0, 3] }],
  ])('with %s is none', (_, changes) => {
    expect(decode(changes)).toBeUndefined()
  })

  test('has at most 12 signers', () => {
    const signers = (count: number) => [payer, ...Array.from({ length: count - 1 }, newKey)]
    const signedBy = (keys: (typeof payer)[]) =>
      decode({ header: [keys.length, 0, 0], accounts: keys.map((key) => key.address), instructions: [] }, keys)
    const twelve = signers(12)
    expect(signedBy(twelve)).toMatchObject({ signaturesValid: true, signers: twelve.map((key) => key.address) })
    expect(signedBy(signers(13))).toBeUndefined()
  })

  test('is named by the first of the signatures that follow its message', () => {
    const second = newKey()
    const keys = [payer, second]
    const changes = { header: [2, 0, 1] as [number, number, number], accounts: [payer.address, second.address, SYSTEM_PROGRAM_ADDRESS] }
    const bytes = signedBytes(messageBytes({ ...plain, ...changes }), keys)
    expect(decode(changes, keys)?.signature).toBe(base58.encode(bytes.slice(-128, -64)))
    expect(decode(changes, keys.toReversed())?.signaturesValid).toBe(false)
  })
})
