import { parseSignature, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  blockhash as asBlockhash,
  bytesEqual,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
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

import { type AccountInstruction, type SignedTransaction } from '../chain.ts'
import { decodeTransfer } from './system-transfer.ts'
import { isSignedBy } from './wallet-signature.ts'

/** Size limit of a legacy or version 0 transaction: the minimum MTU of IPv6 less the headers (Agave, `PACKET_DATA_SIZE`). */
export const MAX_TRANSACTION_BYTES = 1232
/** An account index is one byte (Agave, `VersionedMessage::sanitize`). */
const MAX_ACCOUNTS = 256
/** This bit of the first byte is set in every transaction that is neither legacy nor version 0. */
const LATER_VERSION = 0x80

/** The message of a legacy or version 0 transaction. */
type Message = Exclude<CompiledTransactionMessage, { version: 1 }> & CompiledTransactionMessageWithLifetime

interface Parts {
  bytes: Uint8Array
  transaction: Transaction
  message: Message
}

/**
 * Decodes a signed transaction, legacy or version 0. Strict: at most 1232 bytes in canonical base64, with canonical encoding, no
 * trailing bytes, and well-formed as the network demands. `signaturesValid` says whether all signatures are present and valid, and none
 * is by a key for which signatures can be forged.
 *
 * @returns undefined for anything else.
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
    instructions: resolveInstructions(message),
  }
}

/** Whether a string is a well-formed transaction in base64, signed or not: safe to pass on to an endpoint. */
export function isTransaction(base64: string): boolean {
  return readParts(base64) !== undefined
}

/**
 * Builds a System transfer that carries the reference as a read-only account that does not sign (Solana Pay).
 *
 * @returns the unsigned version 0 transaction in base64.
 * @throws SolanaError if an address or the blockhash is malformed.
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
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (message.version === 1 || !isCanonical(bytes, transaction, message) || !isWellFormed(message)) return undefined
    return { bytes, transaction, message }
  } catch {
    // The decoders read bytes in memory: they throw only on what is not a transaction.
    return undefined
  }
}

function decodeBase64(base64: string): Uint8Array | undefined {
  if (base64.length > MAX_TRANSACTION_BASE64) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MAX_TRANSACTION_BYTES || bytes.toString('base64') !== base64) return undefined
  return new Uint8Array(bytes)
}

/** Encoding it again yields the same bytes: nothing follows it, no number is padded, no signer is listed twice. */
function isCanonical(bytes: Uint8Array, transaction: Transaction, message: Message): boolean {
  if (!bytesEqual(getCompiledTransactionMessageEncoder().encode(message), transaction.messageBytes)) return false
  return bytesEqual(getTransactionEncoder().encode(transaction), bytes)
}

/** What every validator checks before the signatures (Agave, `VersionedTransaction::sanitize` and account loading). */
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
    message.instructions.every(({ programAddressIndex: program, accountIndices = [] }) => {
      return program > 0 && program < staticAccounts.length && accountIndices.every((index) => index < accounts)
    })
  )
}

function allSigned(transaction: Transaction): boolean {
  return Object.entries(transaction.signatures).every(([signer, signature]) => {
    return signature !== null && isSignedBy(signer, new Uint8Array(transaction.messageBytes), new Uint8Array(signature))
  })
}

/** The fee payer's signature, which identifies the transaction; undefined if the payer has not signed. */
function signatureOf(transaction: Transaction): Signature | undefined {
  const [first] = Object.values(transaction.signatures)
  return first ? parseSignature(getBase58Decoder().decode(first)) : undefined
}

/** The instructions with their accounts. Kit's own resolution throws on accounts in lookup tables: here they are undefined. */
function resolveInstructions(message: Message): AccountInstruction[] {
  const metas = getAccountMetasFromCompiledTransactionMessage(message)
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => {
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
