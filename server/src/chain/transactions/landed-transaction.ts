import {
  type ReadonlyUint8Array,
  type Address,
  getAccountMetasFromCompiledTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getInnerInstructionsFromMeta,
  getInstructionsFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type MetaWithInnerInstructions,
  type Transaction,
} from '@solana/kit'
import {
  getTransferSolInstructionDataDecoder,
  getTransferSolWithSeedInstructionDataDecoder,
  identifySystemInstruction,
  SYSTEM_PROGRAM_ADDRESS,
  SystemInstruction,
} from '@solana-program/system'
import { type Signature } from '@juicebar/contract/addresses'
import { type Transfer, type Instruction, type LandedTransaction } from '../chain.ts'
import { isSignedBy } from './keys.ts'

/**
 * Decodes a System program transfer: `Transfer` or `TransferWithSeed`.
 *
 * @param accounts undefined for those in lookup tables that are not resolved.
 * @returns undefined for every other instruction, and if the sender or the recipient is not resolved.
 */
export function decodeTransfer(
  program: string | undefined,
  accounts: readonly (string | undefined)[],
  data: ReadonlyUint8Array,
): Transfer | undefined {
  if (program !== SYSTEM_PROGRAM_ADDRESS) return undefined
  try {
    return transferOf(accounts, data)
  } catch {
    // The System program rejects everything that its decoders reject, so nothing was moved.
    return undefined
  }
}

function transferOf(accounts: readonly (string | undefined)[], data: ReadonlyUint8Array): Transfer | undefined {
  switch (identifySystemInstruction(data)) {
    case SystemInstruction.TransferSol:
      return between(accounts[0], accounts[1], getTransferSolInstructionDataDecoder().decode(data).amount)
    case SystemInstruction.TransferSolWithSeed:
      return between(accounts[0], accounts[2], getTransferSolWithSeedInstructionDataDecoder().decode(data).amount)
    default:
      return undefined
  }
}

function between(from: string | undefined, to: string | undefined, lamports: bigint): Transfer | undefined {
  return from === undefined || to === undefined ? undefined : { from, to, lamports }
}

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

interface DecodedTransaction extends LandedTransaction {
  /**
   * What it says is the endpoint's word, which no signature covers: that it failed, which accounts its lookup tables hold, or that a program
   * moved SOL.
   */
  needsSecond: boolean
}

/** Surfpool names no block in its airdrops, and nobody signs them. On a public cluster, nothing with this blockhash can land. */
const NO_BLOCKHASH = '1'.repeat(32)

/**
 * Decodes a `getTransaction` reply in base64: legacy, version 0 with lookup tables, and version 1.
 *
 * @param isPrivate the chain is no public cluster, and may be Surfpool's
 * @throws Error if the reply is for another signature, not signed, incomplete or malformed: the endpoint is unreliable.
 */
export function decodeLandedTransaction(
  signature: Signature,
  { meta, slot, blockTime, transaction: [base64] }: TransactionReply,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): DecodedTransaction {
  if (meta === null) throw new Error('the endpoint did not return how the transaction ended')
  const bytes = Uint8Array.from(getBase64Encoder().encode(base64))
  const transaction = getTransactionDecoder().decode(bytes)
  const found: string = getSignatureFromTransaction(transaction)
  if (found !== signature) throw new Error('the endpoint returned another transaction')
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  const isAirdrop = isPrivate && message.lifetimeToken === NO_BLOCKHASH
  if (!isAirdrop && !isSigned(transaction)) throw new Error('the endpoint returned a transaction that its signers have not signed')
  const accounts = getAccountMetasFromCompiledTransactionMessage(message, meta.loadedAddresses)
  const failed = meta.err !== null
  const innerInstructions = getInnerInstructionsFromMeta(meta, accounts).map(toInstruction)
  return {
    signature,
    slot,
    landedAt: typeof blockTime === 'bigint' ? new Date(Number(blockTime) * 1_000) : undefined,
    failed,
    bytes,
    signers: message.staticAccounts.slice(0, message.header.numSignerAccounts),
    instructions: getInstructionsFromCompiledTransactionMessage(message, meta.loadedAddresses).map(toInstruction),
    innerInstructions,
    needsSecond: failed || accounts.length > message.staticAccounts.length || innerInstructions.some(({ transfer }) => transfer),
  }
}

/** As validators verify before they execute anything: an endpoint can invent a transaction, but not its signatures. */
function isSigned({ messageBytes, signatures }: Transaction): boolean {
  const message = new Uint8Array(messageBytes)
  return Object.entries(signatures).every(
    ([signer, signature]) => signature !== null && isSignedBy(signer, message, new Uint8Array(signature)),
  )
}

type KitInstruction = ReturnType<typeof getInstructionsFromCompiledTransactionMessage>[number]

function toInstruction({ programAddress, accounts = [], data = new Uint8Array() }: KitInstruction): Instruction {
  const addresses = accounts.map((account) => account.address)
  return { program: programAddress, accounts: addresses, transfer: decodeTransfer(programAddress, addresses, data) }
}
