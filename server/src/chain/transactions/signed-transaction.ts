import { parseSignature, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import {
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
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  isSignerRole,
  isWritableRole,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

import { type AccountInstruction, type SignatureState, type SignedTransaction } from '../chain.ts'
import { instructionsOf, isWellFormed, type Message, sizeLimit } from './message-format.ts'
import { decodeTransfer } from './system-transfer.ts'
import { isSignedBy } from './wallet-signature.ts'

// Making one takes as long as using it.
const transactions = { decoder: getTransactionDecoder(), encoder: getTransactionEncoder() }
const messages = { decoder: getCompiledTransactionMessageDecoder(), encoder: getCompiledTransactionMessageEncoder() }
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
  const parts = readParts(base64)
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
  return readParts(base64) !== undefined
}

/**
 * Builds one System transfer to each recipient. Each carries the reference as a read-only account that does not sign (Solana Pay), and the
 * co-signer, if there is one, as a read-only account that signs.
 *
 * @returns the unsigned version 0 transaction in base64.
 * @throws SolanaError if an address or the blockhash is malformed.
 */
export function buildPayment(details: {
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
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

function readParts(base64: string): Parts | undefined {
  const bytes = decodeBase64(base64)
  if (!bytes || bytes.length > sizeLimit(bytes[0])) return undefined
  try {
    const transaction = transactions.decoder.decode(bytes)
    const message = messages.decoder.decode(transaction.messageBytes)
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
  if (!bytesEqual(messages.encoder.encode(message), transaction.messageBytes)) return false
  return bytesEqual(transactions.encoder.encode(transaction), bytes)
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
