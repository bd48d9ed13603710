import { type Signature } from '@juicebar/contract/addresses'
import { getBase58Encoder, getBase64Encoder, getTransactionDecoder } from '@solana/kit'

import { type Instruction, type LandedTransaction } from '../chain.ts'
import { type CompiledInstruction, decodeMessage, instructionsOf, signatureOf } from './compiled-message.ts'
import { decodeTransfer } from './system-transfer.ts'

/** What is used of a `getTransaction` reply in base64. */
export interface TransactionReply {
  slot: bigint
  transaction: readonly [string, string]
  meta: TransactionMeta | null
}

interface TransactionMeta {
  err: unknown
  loadedAddresses?: { writable: readonly string[]; readonly: readonly string[] } | null
  innerInstructions?: readonly { instructions: readonly InnerInstruction[] }[] | null
}

interface InnerInstruction {
  programIdIndex: number | bigint
  accounts: readonly (number | bigint)[]
  data: string
}

/**
 * Decodes a `getTransaction` reply in base64: legacy, version 0 with lookup tables, and version 1, which the chain executes even if no
 * wallet makes it for us.
 *
 * @throws Error if the reply is for another signature, incomplete or malformed: the endpoint is unreliable.
 */
export function decodeLandedTransaction(signature: Signature, reply: TransactionReply): LandedTransaction {
  const { meta, slot } = reply
  if (meta === null) throw new Error('the endpoint did not return how the transaction ended')
  const bytes = Uint8Array.from(getBase64Encoder().encode(reply.transaction[0]))
  const transaction = getTransactionDecoder().decode(bytes)
  if (signatureOf(transaction) !== signature) throw new Error('the endpoint returned another transaction')
  const message = decodeMessage(transaction.messageBytes)
  const loaded = meta.loadedAddresses
  const accounts: string[] = [...message.staticAccounts, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])]
  const inner = (meta.innerInstructions ?? []).flatMap((group) => group.instructions)
  return {
    signature,
    slot,
    failed: meta.err !== null,
    bytes,
    signers: message.staticAccounts.slice(0, message.header.numSignerAccounts),
    instructions: instructionsOf(message).map((instruction) => resolve(instruction, accounts)),
    innerInstructions: inner.map((instruction) => resolve(toCompiled(instruction), accounts)),
  }
}

function toCompiled(instruction: InnerInstruction): CompiledInstruction {
  return {
    program: Number(instruction.programIdIndex),
    accounts: instruction.accounts.map(Number),
    data: getBase58Encoder().encode(instruction.data),
  }
}

function resolve(instruction: CompiledInstruction, addresses: readonly string[]): Instruction {
  const program = addressAt(addresses, instruction.program)
  const accounts = instruction.accounts.map((index) => addressAt(addresses, index))
  return { program, accounts, transfer: decodeTransfer(program, accounts, instruction.data) }
}

function addressAt(addresses: readonly string[], index: number): string {
  const found = addresses[index]
  if (found === undefined) throw new Error('the endpoint left out addresses from lookup tables')
  return found
}
