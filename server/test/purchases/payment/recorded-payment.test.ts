import { parseSignature, type Signature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { describe, expect, it } from 'vitest'

import { settlesOnStatus } from '../../../src/purchases/payment/recorded-payment.ts'
import { type HandMadeMessage, messageBytes, newKey, signedBytes, transferData } from '../../chain/hand-made.ts'

const SYSTEM_PROGRAM = '11111111111111111111111111111111'
const LAMPORTS = 5_000_000n

const buyer = newKey()
const [seller, reference, blockhash, table] = Array.from({ length: 4 }, () => newKey().address) as [string, string, string, string]
const expected = { from: buyer.address, transfers: [{ to: seller, lamports: LAMPORTS }], reference }

const agreed: HandMadeMessage = {
  version: 0,
  header: [1, 0, 2],
  accounts: [buyer.address, seller, reference, SYSTEM_PROGRAM],
  blockhash,
  instructions: [{ program: 3, accounts: [0, 1, 2], data: transferData(LAMPORTS) }],
}

/** A recorded payment of a message that differs from the agreed one, or whose row does. */
function recorded(changes: Partial<HandMadeMessage> = {}, row: Partial<Parameters<typeof settlesOnStatus>[0]> = {}) {
  const bytes = signedBytes(messageBytes({ ...agreed, ...changes }), [buyer])
  const signature = parseSignature(base58.encode(bytes.subarray(1, 65))) ?? ('none' as Signature)
  return { kind: 'purchase', status: 'recorded', signature, transactionBytes: Buffer.from(bytes), ...row } as const
}

describe('a status is enough to settle with recorded bytes', () => {
  it.each([
    ['of version 0', recorded()],
    ['of a legacy transaction', recorded({ version: 'legacy' })],
  ])('%s that are the agreed payment', (_, payment) => {
    expect(settlesOnStatus(payment, expected)).toBe(true)
  })

  it.each([
    ['if they look accounts up, even one that nothing uses', recorded({ lookups: [{ table, writable: [1], readonly: [] }] })],
    ['if they pay too little', recorded({ instructions: [{ program: 3, accounts: [0, 1, 2], data: transferData(LAMPORTS - 1n) }] })],
    ['if they carry no reference', recorded({ instructions: [{ program: 3, accounts: [0, 1], data: transferData(LAMPORTS) }] })],
    ['if they are a refund', recorded({}, { kind: 'refund' })],
    ['if they are void', recorded({}, { status: 'void' })],
    ['if the row names another signature', recorded({}, { signature: recorded({ blockhash: table }).signature })],
    ['if the bytes are damaged', recorded({}, { transactionBytes: Buffer.alloc(200) })],
  ])('but not %s', (_, payment) => {
    expect(settlesOnStatus(payment, expected)).toBe(false)
  })
})
