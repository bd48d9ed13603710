import { parseSignature, type Signature } from '@juicebar/contract/addresses'
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  type ReadonlyUint8Array,
  type Transaction,
} from '@solana/kit'

export type CompiledMessage = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime

/** An instruction as a message stores it, with indices into the transaction's accounts. */
export interface CompiledInstruction {
  program: number
  accounts: readonly number[]
  data: ReadonlyUint8Array
}

const NO_DATA = new Uint8Array()

/**
 * Decodes the message of a transaction of any known version.
 *
 * @throws SolanaError if the bytes are not a message.
 */
export function decodeMessage(bytes: ReadonlyUint8Array): CompiledMessage {
  return getCompiledTransactionMessageDecoder().decode(bytes)
}

/** The instructions of a message, in one form for all versions. */
export function instructionsOf(message: CompiledMessage): CompiledInstruction[] {
  if (message.version === 1) {
    return message.instructionHeaders.map((header, index) => ({
      program: header.programAccountIndex,
      accounts: message.instructionPayloads[index]?.instructionAccountIndices ?? [],
      data: message.instructionPayloads[index]?.instructionData ?? NO_DATA,
    }))
  }
  return message.instructions.map((instruction) => ({
    program: instruction.programAddressIndex,
    accounts: instruction.accountIndices ?? [],
    data: instruction.data ?? NO_DATA,
  }))
}

/** How many accounts a message loads from lookup tables. */
export function lookedUpCount(message: CompiledMessage): number {
  if (message.version !== 0) return 0
  return (message.addressTableLookups ?? []).reduce((sum, table) => sum + table.writableIndexes.length + table.readonlyIndexes.length, 0)
}

/** The fee payer's signature, which identifies the transaction; undefined if the payer has not signed. */
export function signatureOf(transaction: Transaction): Signature | undefined {
  const [first] = Object.values(transaction.signatures)
  return first ? parseSignature(getBase58Decoder().decode(first)) : undefined
}
