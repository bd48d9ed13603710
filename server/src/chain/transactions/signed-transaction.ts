import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash as asBlockhash,
  bytesEqual,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getAccountMetasFromCompiledTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  isSignerRole,
  isWritableRole,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { parseSignature, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import { getTransferSolInstruction } from '@solana-program/system'
import { type AccountInstruction, type SignatureState, type SignedTransaction } from '../chain.ts'
import { decodeTransfer } from './landed-transaction.ts'
import { isSignedBy } from './keys.ts'
import { messageCodec, transactionCodec } from './message.ts'

/** A message as encoded in a transaction's bytes, of any version that the network executes. */
export type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime

type MessageV1 = Extract<Message, { version: 1 }>

export interface MessageInstruction {
  programAddressIndex: number
  accountIndices: readonly number[]
  data: Uint8Array
}

/** Size limit of a legacy or version 0 transaction: the minimum MTU of IPv6 less the headers (Agave, `PACKET_DATA_SIZE`). */
const MAX_TRANSACTION_BYTES = 1232
/** Size limit of a version 1 transaction (SIMD-0385). */
const MAX_V1_TRANSACTION_BYTES = 4096
/** An account index is one byte (Agave, `VersionedMessage::sanitize`). */
const MAX_ACCOUNTS = 256
/** Of a version 1 message (SIMD-0385, "Transaction Constraints"). */
const V1_LIMITS = { signatures: 12, accounts: 64, instructions: 64 }
/** The first byte of every version 1 transaction: its message comes before its signatures. */
const V1_FIRST_BYTE = 0x81

/** Priority fee (two bits), compute units, loaded account data, heap size (SIMD-0385, "TransactionConfigMask"). */
const KNOWN_CONFIG_BITS = 0b11111
const HEAP_SIZE_BIT = 0b10000
const HEAP = { step: 1024, least: 32 * 1024, most: 256 * 1024 }

/** Most bytes that a transaction with this first byte may have. */
function sizeLimit(firstByte: number | undefined): number {
  return firstByte === V1_FIRST_BYTE ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES
}

/** The instructions of a message, in one shape for all versions. */
function instructionsOf(message: Message): MessageInstruction[] {
  if (message.version !== 1) {
    return message.instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => {
      return { programAddressIndex, accountIndices, data: Uint8Array.from(data) }
    })
  }
  return message.instructionHeaders.map(({ programAccountIndex }, index) => {
    const { instructionAccountIndices: accountIndices = [], instructionData = [] } = message.instructionPayloads[index] ?? {}
    return { programAddressIndex: programAccountIndex, accountIndices, data: Uint8Array.from(instructionData) }
  })
}

/** The checks that every validator makes before the signatures (Agave, `VersionedTransaction::sanitize` and account loading). */
function isWellFormed(message: Message): boolean {
  const { header, staticAccounts } = message
  const lookups = (message.version === 0 ? message.addressTableLookups : undefined) ?? []
  const lookedUp = lookups.map((table) => table.writableIndexes.length + table.readonlyIndexes.length)
  const accounts = lookedUp.reduce((sum, count) => sum + count, staticAccounts.length)
  return (
    header.numReadonlySignerAccounts < header.numSignerAccounts &&
    header.numSignerAccounts + header.numReadonlyNonSignerAccounts <= staticAccounts.length &&
    new Set(staticAccounts).size === staticAccounts.length &&
    accounts <= MAX_ACCOUNTS &&
    !lookedUp.includes(0) &&
    instructionsOf(message).every(({ programAddressIndex: program, accountIndices }) => {
      return program > 0 && program < staticAccounts.length && accountIndices.every((index) => index < accounts)
    }) &&
    (message.version !== 1 || isWellFormedV1(message))
  )
}

/**
 * The checks that validators also make for version 1 (solana-sdk, `v1::Message::validate`); kit already refuses half a priority fee.
 */
function isWellFormedV1({ header, staticAccounts, numInstructions, configMask, configValues }: MessageV1): boolean {
  const heapSize = (configMask & HEAP_SIZE_BIT) === 0 ? HEAP.least : Number(configValues.at(-1)?.value)
  return (
    header.numSignerAccounts <= V1_LIMITS.signatures &&
    staticAccounts.length <= V1_LIMITS.accounts &&
    numInstructions <= V1_LIMITS.instructions &&
    (configMask & ~KNOWN_CONFIG_BITS) === 0 &&
    heapSize % HEAP.step === 0 &&
    heapSize >= HEAP.least &&
    heapSize <= HEAP.most
  )
}

// Making one takes as long as using it.
const base58Decoder = getBase58Decoder()

interface Parts {
  bytes: Uint8Array
  transaction: Transaction
  message: Message
}

/** A signed transaction with its bytes, and those of its message: what its signers sign. */
export interface DecodedTransaction extends SignedTransaction {
  bytes: Uint8Array
  message: Uint8Array
}

/**
 * Decodes a transaction that its fee payer has signed, and others perhaps not yet: legacy, version 0 or version 1. Strict: at most 1,232
 * bytes (version 1: 4,096) in canonical base64, with canonical encoding, no trailing bytes, and well-formed as the network demands. A
 * signature counts as valid only if its key is none for which signatures can be forged.
 *
 * @returns undefined for anything else.
 */
export function decodeSignedTransaction(base64: string): DecodedTransaction | undefined {
  const bytes = decodeBase64(base64)
  return bytes && decodeSignedBytes(bytes)
}

/** The same for bytes that the market has stored. */
export function decodeSignedBytes(wire: Uint8Array): DecodedTransaction | undefined {
  const parts = readParts(wire)
  if (!parts) return undefined
  const { bytes, transaction, message } = parts
  const signature = signatureOf(transaction)
  if (!signature) return undefined
  const signatureStates = signatureStatesOf(transaction)
  return {
    bytes,
    message: new Uint8Array(transaction.messageBytes),
    signature,
    signers: message.staticAccounts.slice(0, message.header.numSignerAccounts),
    signatureStates,
    signaturesValid: signatureStates.every((state) => state === 'valid'),
    version: message.version,
    usesLookupTables: message.version === 0 && (message.addressTableLookups ?? []).length > 0,
    blockhash: message.lifetimeToken,
    instructions: resolveInstructions(message),
  }
}

/** Whether a string is a well-formed transaction in base64, signed or not: safe to pass on to an endpoint. */
export function isTransaction(base64: string): boolean {
  const bytes = decodeBase64(base64)
  return bytes !== undefined && readParts(bytes) !== undefined
}

/**
 * Builds one System transfer to each recipient. Each carries the reference as a read-only account that does not sign (Solana Pay), and the
 * co-signer, if there is one, as a read-only account that signs.
 *
 * @param details.version `legacy` is what every wallet reads
 * @returns the unsigned transaction in base64.
 * @throws SolanaError if an address or the blockhash is malformed.
 */
export function buildPayment(details: {
  version: 'legacy' | 0
  from: WalletAddress
  transfers: readonly { to: WalletAddress; lamports: Lamports }[]
  reference: string
  coSigner?: string
  blockhash: string
  lastValidBlockHeight: bigint
}): string {
  const payer = address(details.from)
  const lifetime = { blockhash: asBlockhash(details.blockhash), lastValidBlockHeight: details.lastValidBlockHeight }
  const carried = [
    { address: address(details.reference), role: AccountRole.READONLY },
    ...(details.coSigner === undefined ? [] : [{ address: address(details.coSigner), role: AccountRole.READONLY_SIGNER }]),
  ]
  const instructions = details.transfers.map(({ to, lamports }) => {
    const transfer = getTransferSolInstruction({ source: createNoopSigner(payer), destination: address(to), amount: lamports })
    return { ...transfer, accounts: [...transfer.accounts, ...carried] }
  })
  const message = pipe(
    createTransactionMessage({ version: details.version }),
    (draft) => setTransactionMessageFeePayer(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

function readParts(bytes: Uint8Array): Parts | undefined {
  if (bytes.length > sizeLimit(bytes[0])) return undefined
  try {
    const transaction = transactionCodec.decoder.decode(bytes)
    const message = messageCodec.decoder.decode(transaction.messageBytes)
    if (!isCanonical(bytes, transaction, message) || !isWellFormed(message)) return undefined
    return { bytes, transaction, message }
  } catch {
    // The decoders read bytes in memory: they throw only if these are not a transaction.
    return undefined
  }
}

function decodeBase64(base64: string): Uint8Array | undefined {
  if (base64.length > MAX_TRANSACTION_BASE64) return undefined
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? new Uint8Array(bytes) : undefined
}

/** Encoding it again yields the same bytes: there are no trailing bytes, padded numbers or duplicate signers. */
function isCanonical(bytes: Uint8Array, transaction: Transaction, message: Message): boolean {
  if (!bytesEqual(messageCodec.encoder.encode(message), transaction.messageBytes)) return false
  return bytesEqual(transactionCodec.encoder.encode(transaction), bytes)
}

function signatureStatesOf({ messageBytes, signatures }: Transaction): SignatureState[] {
  return Object.entries(signatures).map(([signer, signature]) => {
    if (signature === null) return 'empty'
    return isSignedBy(signer, new Uint8Array(messageBytes), new Uint8Array(signature)) ? 'valid' : 'invalid'
  })
}

/** The fee payer's signature, which identifies the transaction; undefined if the payer has not signed. */
function signatureOf(transaction: Transaction): Signature | undefined {
  const [first] = Object.values(transaction.signatures)
  return first ? parseSignature(base58Decoder.decode(first)) : undefined
}

/** The instructions with their accounts. Kit's own resolution throws on accounts in lookup tables: here they are undefined. */
function resolveInstructions(message: Message): AccountInstruction[] {
  const metas = getAccountMetasFromCompiledTransactionMessage(message)
  return instructionsOf(message).map(({ programAddressIndex, accountIndices, data }) => {
    const program = metas[programAddressIndex]?.address
    if (program === undefined) throw new Error('isWellFormed lets no such program index pass')
    const accounts = accountIndices.map((index) => metas[index])
    return {
      program,
      accounts: accounts.map((account) => account && { address: account.address, ...permissionsOf(account.role) }),
      transfer: decodeTransfer(
        program,
        accounts.map((account) => account?.address),
        data,
      ),
    }
  })
}

function permissionsOf(role: AccountRole): { signer: boolean; writable: boolean } {
  return { signer: isSignerRole(role), writable: isWritableRole(role) }
}
