import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

import { base58, base64 } from '@scure/base'
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'

/** A transaction as its bytes say, without what they cannot say: how it ends. */
export interface Transaction {
  base64: string
  /** The first one, by which it is known. */
  signature: string
  signatures: readonly string[]
  version: 0 | 'legacy'
  /** The SHA-256 of what was signed. Validators tell transactions apart by their messages. */
  messageHash: string
  blockhash: string
  accounts: readonly AccountKey[]
  instructions: readonly Instruction[]
}

interface AccountKey {
  address: string
  isSigner: boolean
  isWritable: boolean
}

export interface Instruction {
  program: string
  accounts: readonly AccountKey[]
  data: Uint8Array
}

/** A transaction, and whether all of its signatures are valid. */
export interface SignedTransaction extends Transaction {
  isSigned: boolean
}

const transactions = getTransactionDecoder()
const messages = getCompiledTransactionMessageDecoder()
/** The IPv6 minimum MTU less the headers (Agave, `PACKET_DATA_SIZE`). */
const MOST_BYTES = 1232
const NO_SIGNATURE = new Uint8Array(64)

/**
 * Reads a transaction in base64 and checks its signatures.
 *
 * @throws Error if the bytes are not a transaction of version 0 or before, use lookup tables, or do not fit into a packet
 */
export function readTransaction(encoded: string): SignedTransaction {
  const bytes = base64.decode(encoded)
  if (bytes.length > MOST_BYTES) throw new Error('the transaction is too large')
  const { messageBytes, signatures } = transactions.decode(bytes)
  const message = messages.decode(messageBytes)
  if (message.version === 1) throw new Error('version 1 is not supported')
  if (message.version === 0 && (message.addressTableLookups ?? []).length > 0) throw new Error('lookup tables are not supported')
  const accounts = message.staticAccounts.map((address, index) => ({ address, ...roleOf(index, message.header, message.staticAccounts) }))
  const at = (index: number) => {
    const account = accounts[index]
    if (account === undefined) throw new Error('an instruction names an account that the message lacks')
    return account
  }
  const signed = Uint8Array.from(messageBytes)
  const given = Object.entries(signatures).map(([signer, signature]) => ({ signer, bytes: Uint8Array.from(signature ?? NO_SIGNATURE) }))
  const inBase58 = given.map((each) => base58.encode(each.bytes))
  return {
    base64: encoded,
    signature: inBase58[0] ?? '',
    signatures: inBase58,
    version: message.version,
    messageHash: createHash('sha256').update(signed).digest('hex'),
    blockhash: message.lifetimeToken,
    accounts,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: at(programAddressIndex).address,
      accounts: accountIndices.map(at),
      data: Uint8Array.from(data),
    })),
    isSigned: given.every(({ signer, bytes: signature }) => verify(null, signed, keyOf(signer), signature)),
  }
}

interface Header {
  numSignerAccounts: number
  numReadonlySignerAccounts: number
  numReadonlyNonSignerAccounts: number
}

/** Signers come first, and in each half what may be written. */
function roleOf(index: number, header: Header, { length }: readonly unknown[]): Omit<AccountKey, 'address'> {
  const isSigner = index < header.numSignerAccounts
  const isWritable = isSigner
    ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
    : index < length - header.numReadonlyNonSignerAccounts
  return { isSigner, isWritable }
}

const keys = new Map<string, KeyObject>()

function keyOf(address: string): KeyObject {
  const known = keys.get(address)
  if (known) return known
  const x = Buffer.from(base58.decode(address)).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  keys.set(address, key)
  return key
}
