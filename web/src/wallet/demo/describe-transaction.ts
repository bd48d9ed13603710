import { solText } from '@juicebar/contract/money'
import { type CompiledTransactionMessage, getU64Decoder } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'

/** The System program's instruction number for a transfer; the amount follows as 8 bytes. */
const TRANSFER_INSTRUCTION = 2
const TRANSFER_AMOUNT_OFFSET = 4

type Line = [label: string, value: string]

interface Transfer {
  lamports: bigint
  payee: string
}

/**
 * A description of a transaction for its signer: transfers by amount and payee, anything else by program. If there are several transfers,
 * the total comes first.
 */
export function describeTransaction(message: CompiledTransactionMessage): Line[] {
  if (!('instructions' in message)) return [['Unreadable', `version ${message.version}`]]
  const addresses = message.staticAccounts
  const transfers: Transfer[] = []
  const others: Line[] = []
  for (const { programAddressIndex, accountIndices, data } of message.instructions) {
    const program = addresses[programAddressIndex] ?? 'unknown program'
    if (program === SYSTEM_PROGRAM_ADDRESS && data?.[0] === TRANSFER_INSTRUCTION) {
      const payee = addresses[accountIndices?.[1] ?? -1] ?? 'unknown account'
      transfers.push({ lamports: getU64Decoder().decode(data, TRANSFER_AMOUNT_OFFSET), payee })
    } else others.push(['Calls', program])
  }
  return [...describeTransfers(transfers), ...others]
}

function describeTransfers(transfers: readonly Transfer[]): Line[] {
  if (transfers.length < 2) {
    return transfers.flatMap(({ lamports, payee }): Line[] => [
      ['Pay', `${solText(lamports)} SOL`],
      ['To', payee],
    ])
  }
  const total = transfers.reduce((sum, { lamports }) => sum + lamports, 0n)
  return [
    ['Pay in all', `${solText(total)} SOL in ${transfers.length} transfers`],
    ...transfers.map(({ lamports, payee }): Line => [`${solText(lamports)} SOL to`, payee]),
  ]
}
