import { solText } from '@juicebar/contract/money'
import { type CompiledTransactionMessage, getU64Decoder } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'

/** The System program's instruction number for a transfer; the amount follows as 8 bytes. */
const TRANSFER_INSTRUCTION = 2
const TRANSFER_AMOUNT_OFFSET = 4

type Line = [label: string, value: string]

/** What a transaction does, for its signer to read: transfers by amount and payee, anything else by program. */
export function describeTransaction(message: CompiledTransactionMessage): Line[] {
  if (!('instructions' in message)) return [['Unreadable', `version ${message.version}`]]
  const addresses = message.staticAccounts
  return message.instructions.flatMap((instruction): Line[] => {
    const program = addresses[instruction.programAddressIndex] ?? 'unknown program'
    const { data } = instruction
    if (program !== SYSTEM_PROGRAM_ADDRESS || data?.[0] !== TRANSFER_INSTRUCTION) return [['Calls', program]]
    const payee = addresses[instruction.accountIndices?.[1] ?? -1] ?? 'unknown account'
    return [
      ['Pay', `${solText(getU64Decoder().decode(data, TRANSFER_AMOUNT_OFFSET))} SOL`],
      ['To', payee],
    ]
  })
}
