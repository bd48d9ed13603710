import { getTransferSolInstructionDataDecoder } from '@solana-program/system'

import { type Instruction, type Transaction } from './transaction.ts'

/** Why a transaction fails, as an RPC node says it (Agave, `TransactionError`). */
export type TransactionError =
  | 'AccountNotFound'
  | 'InsufficientFundsForFee'
  | { InsufficientFundsForRent: { account_index: number } }
  | { InstructionError: [number, InstructionError] }

type InstructionError = 'InvalidInstructionData' | 'MissingRequiredSignature' | 'NotEnoughAccountKeys' | 'ReadonlyLamportChange' | Custom
interface Custom {
  Custom: number
}

/** Charged: it is in a block, and its fee is paid, also if it failed. Dropped: no block takes it, as nobody would pay for it. */
type Execution = { kind: 'charged'; err: TransactionError | null; fee: bigint; after: ReadonlyMap<string, bigint> } | Dropped
interface Dropped {
  kind: 'dropped'
  err: TransactionError
}

export const SYSTEM_PROGRAM = '11111111111111111111111111111111'
const LAMPORTS_PER_SIGNATURE = 5_000n
/** What an account without data must keep, unless it keeps nothing (Agave, `Rent::default`). */
export const RENT_LAMPORTS = 890_880n
/** The System program's error if the sender has too little (`SystemError::ResultWithNegativeLamports`). */
const TOO_LITTLE: Custom = { Custom: 1 }
const TRANSFER = 2
const TRANSFER_BYTES = 12

const transfers = getTransferSolInstructionDataDecoder()

/** A transfer of the System program; undefined for every other instruction. */
export function transferIn({ program, data }: Instruction): { lamports: bigint } | undefined {
  if (program !== SYSTEM_PROGRAM || data.length < TRANSFER_BYTES || data[0] !== TRANSFER) return undefined
  return { lamports: transfers.decode(data).amount }
}

/** What a transaction with valid signatures and a known blockhash does to the balances of its accounts, by the rules of Agave 2. */
export function execute(transaction: Transaction, balanceOf: (address: string) => bigint): Execution {
  const { accounts, signatures } = transaction
  const fee = LAMPORTS_PER_SIGNATURE * BigInt(signatures.length)
  const before = new Map(accounts.map(({ address }) => [address, balanceOf(address)]))
  const [payer = { address: '' }] = accounts
  const payerBefore = before.get(payer.address) ?? 0n
  if (payerBefore === 0n) return { kind: 'dropped', err: 'AccountNotFound' }
  if (payerBefore < fee) return { kind: 'dropped', err: 'InsufficientFundsForFee' }
  const charged = new Map(before).set(payer.address, payerBefore - fee)
  if (!keepsRent(payerBefore, payerBefore - fee)) return { kind: 'dropped', err: { InsufficientFundsForRent: { account_index: 0 } } }
  const { err, after } = carryOut(transaction, charged)
  const poor = err === null ? accounts.findIndex(({ address }) => !keepsRent(before.get(address) ?? 0n, after.get(address) ?? 0n)) : -1
  if (poor !== -1) return { kind: 'charged', err: { InsufficientFundsForRent: { account_index: poor } }, fee, after: charged }
  return { kind: 'charged', err, fee, after: err === null ? after : charged }
}

/** An account keeps its rent or nothing; one that had too little already may only lose more (Agave, `rent_state_transition_allowed`). */
function keepsRent(before: bigint, after: bigint): boolean {
  return after === 0n || after >= RENT_LAMPORTS || (before > 0n && before < RENT_LAMPORTS && after <= before)
}

function carryOut({ instructions }: Transaction, charged: ReadonlyMap<string, bigint>) {
  const after = new Map(charged)
  for (const [index, instruction] of instructions.entries()) {
    const failure = carryOutOne(instruction, after)
    if (failure !== undefined) return { err: { InstructionError: [index, failure] } satisfies TransactionError, after: charged }
  }
  return { err: null, after }
}

/** Whether an account may be written is looked at when its lamports are set, be it to what they are (Agave, `BorrowedAccount::set_lamports`). */
function carryOutOne(instruction: Instruction, balances: Map<string, bigint>): InstructionError | undefined {
  const transfer = transferIn(instruction)
  if (!transfer) return 'InvalidInstructionData'
  const [from, to] = instruction.accounts
  if (!from || !to) return 'NotEnoughAccountKeys'
  if (!from.isSigner) return 'MissingRequiredSignature'
  const { lamports } = transfer
  const held = balances.get(from.address) ?? 0n
  if (held < lamports) return TOO_LITTLE
  if (!from.isWritable || !to.isWritable) return 'ReadonlyLamportChange'
  balances.set(from.address, held - lamports)
  balances.set(to.address, (balances.get(to.address) ?? 0n) + lamports)
  return undefined
}
