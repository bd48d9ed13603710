import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  blockhash as asBlockhash,
  bytesEqual,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

import { type AccountInstruction, type InstructionAccount, type SignedTransaction } from '../chain.ts'
import {
  type CompiledInstruction,
  type CompiledMessage,
  decodeMessage,
  instructionsOf,
  lookedUpCount,
  signatureOf,
} from './compiled-message.ts'
import { readTransfer } from './system-transfer.ts'
import { isSignedBy } from './wallet-signature.ts'

/** Longest legacy or version 0 transaction: the IPv6 minimum MTU less the headers (Agave, `PACKET_DATA_SIZE`). */
export const MAX_TRANSACTION_BYTES = 1232
/** A transaction addresses its accounts with one byte (Agave, `VersionedMessage::sanitize`). */
const MAX_ACCOUNTS = 256
/** Set in the first byte of every transaction that is neither legacy nor version 0. */
const LATER_VERSION = 0x80

interface Parts {
  bytes: Uint8Array
  transaction: Transaction
  message: CompiledMessage
}

/**
 * Reads a signed transaction, legacy or version 0, as a wallet hands it in. Strict: at most 1232 bytes in canonical base64, canonical
 * in every byte with none left over, and well-formed as the network demands; else undefined. Whether its signatures are right stands in
 * `signaturesValid`: all are there, fit the message, and none is of a key for which signatures can be forged.
 */
export function decodeSignedTransaction(base64: string): (SignedTransaction & { bytes: Uint8Array }) | undefined {
  const parts = readParts(base64)
  if (!parts) return undefined
  const { bytes, transaction, message } = parts
  const signature = signatureOf(transaction)
  if (!signature) return undefined
  return {
    bytes,
    signature,
    signers: message.staticAccounts.slice(0, message.header.numSignerAccounts),
    signaturesValid: allSigned(transaction),
    blockhash: message.lifetimeToken,
    instructions: instructionsOf(message).map((instruction) => describe(message, instruction)),
  }
}

/** Whether a text is a well-formed transaction in base64, signed or not: what a chain endpoint can be given safely. */
export function isTransaction(base64: string): boolean {
  return readParts(base64) !== undefined
}

/**
 * Builds a System transfer that carries the reference as a read-only account which does not sign (Solana Pay). Gives the unsigned
 * version 0 transaction in base64. Throws where an address or the blockhash is none.
 */
export function buildTransfer(details: {
  from: WalletAddress
  to: WalletAddress
  lamports: Lamports
  reference: string
  blockhash: string
  lastValidBlockHeight: bigint
}): string {
  const payer = address(details.from)
  const lifetime = { blockhash: asBlockhash(details.blockhash), lastValidBlockHeight: details.lastValidBlockHeight }
  const transfer = getTransferSolInstruction({
    source: createNoopSigner(payer),
    destination: address(details.to),
    amount: details.lamports,
  })
  const reference = { address: address(details.reference), role: AccountRole.READONLY }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstruction({ ...transfer, accounts: [...transfer.accounts, reference] }, draft),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

function readParts(base64: string): Parts | undefined {
  const bytes = decodeBase64(base64)
  if (!bytes || ((bytes[0] ?? 0) & LATER_VERSION) !== 0) return undefined
  try {
    const transaction = getTransactionDecoder().decode(bytes)
    const message = decodeMessage(transaction.messageBytes)
    return isCanonical(bytes, transaction, message) && isWellFormed(message) ? { bytes, transaction, message } : undefined
  } catch {
    // The decoders throw on whatever is no transaction, and on nothing else: they read bytes in memory.
    return undefined
  }
}

function decodeBase64(base64: string): Uint8Array | undefined {
  if (base64.length > MAX_TRANSACTION_BASE64) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MAX_TRANSACTION_BYTES || bytes.toString('base64') !== base64) return undefined
  return new Uint8Array(bytes)
}

/** Written anew it gives the same bytes: nothing follows it, no number is padded, no signer stands in it twice. */
function isCanonical(bytes: Uint8Array, transaction: Transaction, message: CompiledMessage): boolean {
  if (!bytesEqual(getCompiledTransactionMessageEncoder().encode(message), transaction.messageBytes)) return false
  return bytesEqual(getTransactionEncoder().encode(transaction), bytes)
}

/** What every validator demands before it looks at signatures (Agave, `VersionedTransaction::sanitize` and account loading). */
function isWellFormed(message: CompiledMessage): boolean {
  if (message.version === 1) return false
  const { header, staticAccounts } = message
  const accounts = staticAccounts.length + lookedUpCount(message)
  const emptyLookup =
    message.version === 0 && message.addressTableLookups?.some((table) => table.writableIndexes.length + table.readonlyIndexes.length === 0)
  return (
    header.numReadonlySignerAccounts < header.numSignerAccounts &&
    header.numSignerAccounts + header.numReadonlyNonSignerAccounts <= staticAccounts.length &&
    new Set(staticAccounts).size === staticAccounts.length &&
    accounts <= MAX_ACCOUNTS &&
    !emptyLookup &&
    instructionsOf(message).every(({ program, accounts: indices }) => {
      return program > 0 && program < staticAccounts.length && indices.every((index) => index < accounts)
    })
  )
}

function allSigned(transaction: Transaction): boolean {
  return Object.entries(transaction.signatures).every(([signer, signature]) => {
    return signature !== null && isSignedBy(signer, new Uint8Array(transaction.messageBytes), new Uint8Array(signature))
  })
}

function describe(message: CompiledMessage, instruction: CompiledInstruction): AccountInstruction {
  const program = message.staticAccounts[instruction.program]
  if (program === undefined) throw new Error('the program index was checked to be within the accounts')
  const accounts = instruction.accounts.map((index) => accountAt(message, index))
  const addresses = accounts.map((account) => account?.address)
  return { program, accounts, transfer: readTransfer(program, addresses, instruction.data) }
}

/** Undefined for an account from a lookup table. Roles go by position (Solana documentation, transaction message header). */
function accountAt(message: CompiledMessage, index: number): InstructionAccount | undefined {
  const found = message.staticAccounts[index]
  if (found === undefined) return undefined
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header
  const signer = index < numSignerAccounts
  const writableBefore = signer
    ? numSignerAccounts - numReadonlySignerAccounts
    : message.staticAccounts.length - numReadonlyNonSignerAccounts
  return { address: found, signer, writable: index < writableBefore }
}
