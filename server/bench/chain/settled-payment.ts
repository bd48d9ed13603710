import { createHash } from 'node:crypto'

import { base58 } from '@scure/base'

/** The payment of a purchase that was settled before the bench began. The same number always gives the same payment. */
export interface SettledPayment {
  buyer: string
  seller: string
  reference: string
  signature: string
  lamports: number
  slot: number
  bytes: Uint8Array
}

export const BUYERS = 500
export const SELLERS = 1_000
const SLOT = 100
const SYSTEM_PROGRAM = new Uint8Array(32)
const MARK = key('settled payment', 0).subarray(0, 24)
const SIGNATURE_REST = key('signature', 0)

/** The payment number `n`: a legacy transaction with one transfer that carries a reference. Nobody has signed it. */
export function settledPayment(n: number): SettledPayment {
  const [buyer, seller] = [key('buyer', n % BUYERS), key('seller', n % SELLERS)]
  const reference = numbered(n)
  const signature = Buffer.concat([reference, SIGNATURE_REST])
  const lamports = 1_000_000 * (1 + n)
  const transfer = Buffer.alloc(12)
  transfer.writeUInt32LE(2)
  transfer.writeBigUInt64LE(BigInt(lamports), 4)
  const header = [1, 0, 2, 4]
  const instruction = [1, 3, 3, 0, 1, 2, transfer.length]
  const message = [Buffer.from(header), buyer, seller, reference, SYSTEM_PROGRAM, key('blockhash', 0), Buffer.from(instruction), transfer]
  return {
    buyer: base58.encode(buyer),
    seller: base58.encode(seller),
    reference: base58.encode(reference),
    signature: base58.encode(signature),
    lamports,
    slot: SLOT,
    bytes: Buffer.concat([Buffer.from([1]), signature, ...message]),
  }
}

/** The settled payment with this signature. */
export function findSettledPayment(signature: string): SettledPayment | undefined {
  const bytes = Buffer.from(base58.decode(signature))
  return bytes.subarray(8, 32).equals(MARK) ? settledPayment(Number(bytes.readBigUInt64BE())) : undefined
}

function numbered(n: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(n))
  return Buffer.concat([bytes, MARK])
}

function key(name: string, n: number): Buffer {
  return createHash('sha256').update(`${name} ${n}`).digest()
}
