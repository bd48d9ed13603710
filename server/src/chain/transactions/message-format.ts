import { type CompiledTransactionMessage, type CompiledTransactionMessageWithLifetime } from '@solana/kit'

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
export function sizeLimit(firstByte: number | undefined): number {
  return firstByte === V1_FIRST_BYTE ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES
}

/** The instructions of a message, in one shape for all versions. */
export function instructionsOf(message: Message): MessageInstruction[] {
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
export function isWellFormed(message: Message): boolean {
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
