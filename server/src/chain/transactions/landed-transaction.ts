import { type Signature } from '@juicebar/contract/addresses'
import {
  type Address,
  getAccountMetasFromCompiledTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getInnerInstructionsFromMeta,
  getInstructionsFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type MetaWithInnerInstructions,
} from '@solana/kit'

import { type Instruction, type LandedTransaction } from '../chain.ts'
import { decodeTransfer } from './system-transfer.ts'

/** The parts of a `getTransaction` reply in base64 that we use. */
export interface TransactionReply {
  slot: bigint
  /** In seconds since 1970. */
  blockTime?: bigint | null
  transaction: readonly [string, string]
  meta: (MetaWithInnerInstructions & { err: unknown; loadedAddresses?: LoadedAddresses | null }) | null
}

interface LoadedAddresses {
  writable: readonly Address[]
  readonly: readonly Address[]
}

/**
 * Decodes a `getTransaction` reply in base64: legacy, version 0 with lookup tables, and version 1.
 *
 * @throws Error if the reply is for another signature, incomplete or malformed: the endpoint is unreliable.
 */
export function decodeLandedTransaction(
  signature: Signature,
  { meta, slot, blockTime, transaction: [base64] }: TransactionReply,
): LandedTransaction {
  if (meta === null) throw new Error('the endpoint did not return how the transaction ended')
  const bytes = Uint8Array.from(getBase64Encoder().encode(base64))
  const transaction = getTransactionDecoder().decode(bytes)
  const found: string = getSignatureFromTransaction(transaction)
  if (found !== signature) throw new Error('the endpoint returned another transaction')
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  const accounts = getAccountMetasFromCompiledTransactionMessage(message, meta.loadedAddresses)
  return {
    signature,
    slot,
    landedAt: typeof blockTime === 'bigint' ? new Date(Number(blockTime) * 1_000) : undefined,
    failed: meta.err !== null,
    bytes,
    signers: message.staticAccounts.slice(0, message.header.numSignerAccounts),
    instructions: getInstructionsFromCompiledTransactionMessage(message, meta.loadedAddresses).map(toInstruction),
    innerInstructions: getInnerInstructionsFromMeta(meta, accounts).map(toInstruction),
  }
}

type KitInstruction = ReturnType<typeof getInstructionsFromCompiledTransactionMessage>[number]

function toInstruction({ programAddress, accounts = [], data = new Uint8Array() }: KitInstruction): Instruction {
  const addresses = accounts.map((account) => account.address)
  return { program: programAddress, accounts: addresses, transfer: decodeTransfer(programAddress, addresses, data) }
}
