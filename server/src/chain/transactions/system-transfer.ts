import { type ReadonlyUint8Array } from '@solana/kit'
import {
  getTransferSolInstructionDataDecoder,
  getTransferSolWithSeedInstructionDataDecoder,
  identifySystemInstruction,
  SYSTEM_PROGRAM_ADDRESS,
  SystemInstruction,
} from '@solana-program/system'

import { type Transfer } from '../chain.ts'

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
