import { parseSignature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { expect, test } from 'vitest'
import { decodeLandedTransaction, type TransactionReply } from '../../../src/chain/transactions/landed-transaction.ts'
import { messageBytes, newKey, signedBytes, toBase64, transferData } from './hand-made.ts'
import { newWallet, payment, sign, someBlockhash } from './transactions.ts'

const payer = newKey()
const program = newKey().address
const [receiver, reference, third] = [newKey().address, newKey().address, newKey().address]

const bytes = signedBytes(
  messageBytes({
    version: 0,
    header: [1, 0, 2],
    accounts: [payer.address, SYSTEM_PROGRAM_ADDRESS, program],
    blockhash: someBlockhash,
    instructions: [
      { program: 1, accounts: [0, 3, 5], data: transferData(5n) },
      { program: 2, accounts: [0, 4], data: Uint8Array.from([1]) },
    ],
    lookups: [{ table: newKey().address, writable: [7, 8], readonly: [2] }],
  }),
  [payer],
)

const signature = signatureOf(bytes.slice(1, 65))

/** As an RPC node returns it, with integers read as bigints. */
const reply = {
  slot: 42n,
  transaction: [toBase64(bytes), 'base64'],
  meta: {
    err: null,
    loadedAddresses: { writable: [receiver, third], readonly: [reference] },
    innerInstructions: [{ instructions: [{ programIdIndex: 1n, accounts: [0n, 4n], data: base58.encode(transferData(9n)) }] }],
  },
} as unknown as TransactionReply

function signatureOf(name: Uint8Array) {
  const found = parseSignature(base58.encode(name))
  if (!found) throw new Error('no signature')
  return found
}

test('a version 0 transaction with lookup tables and inner instructions is read whole', () => {
  expect(decodeLandedTransaction(signature, reply)).toEqual({
    signature,
    slot: 42n,
    failed: false,
    bytes,
    signers: [payer.address],
    instructions: [
      {
        program: SYSTEM_PROGRAM_ADDRESS,
        accounts: [payer.address, receiver, reference],
        transfer: { from: payer.address, to: receiver, lamports: 5n },
      },
      { program, accounts: [payer.address, third], transfer: undefined },
    ],
    innerInstructions: [
      { program: SYSTEM_PROGRAM_ADDRESS, accounts: [payer.address, third], transfer: { from: payer.address, to: third, lamports: 9n } },
    ],
    needsSecond: true,
  })
})

test('a transaction that failed says so', () => {
  const failed = { ...reply, meta: { ...reply.meta, err: { InstructionError: [0n, { Custom: 1n }] } } }
  expect(decodeLandedTransaction(signature, failed).failed).toBe(true)
})

test.each(['legacy', 0, 1] as const)('version %s is read', async (version) => {
  const { signer } = await newWallet()
  const text = await sign(version, signer, [payment(signer, receiver, 5n, reference)])
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
  const start = version === 1 ? bytes.length - 64 : 1
  const meta = { err: null, loadedAddresses: null }
  const landed = decodeLandedTransaction(signatureOf(bytes.slice(start, start + 64)), { slot: 1n, transaction: [text, 'base64'], meta })
  expect(landed).toMatchObject({
    bytes,
    signers: [signer.address],
    instructions: [{ transfer: { from: signer.address, to: receiver, lamports: 5n } }],
  })
})

test.each<[string, TransactionReply]>([
  ['without its outcome', { ...reply, meta: null }],
  ['without the looked-up addresses', { ...reply, meta: { err: null, loadedAddresses: null } }],
  ['that is no transaction', { ...reply, transaction: ['AAAA', 'base64'] }],
])('a reply %s is not believed', (_, incomplete) => {
  expect(() => decodeLandedTransaction(signature, incomplete)).toThrow()
})

test('a transaction that its signers have not signed is not believed, although it has the signature that was asked for', () => {
  const invented = bytes.slice()
  // What it names at its end is another lookup table then.
  invented[invented.length - 10]! ^= 1
  expect(() => decodeLandedTransaction(signature, { ...reply, transaction: [toBase64(invented), 'base64'] })).toThrow('have not signed')
})

test('a reply of another transaction is not believed', () => {
  const other = signatureOf(new Uint8Array(64).fill(7))
  expect(() => decodeLandedTransaction(other, reply)).toThrow('another transaction')
})
