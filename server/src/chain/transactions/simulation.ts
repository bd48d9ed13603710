import { type Lamports, lamports } from '@juicebar/contract/money'
import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  type TransactionError,
} from '@solana/kit'

import { type Simulation } from '../chain.ts'

/** The System program's error if the sender has too little (`SystemError::ResultWithNegativeLamports`). */
const TOO_LITTLE_TO_SEND = 1

const NOT_ENOUGH = 'the wallet does not have enough SOL for the payment and the network fee.'

interface SimulationReply {
  context: { slot: bigint }
  value: { err: TransactionError | null; accounts?: readonly ({ lamports: bigint } | null)[] | null }
}

/**
 * Reads the reply to a `simulateTransaction`. Problems with the bytes or signatures arrive as an RPC error and are read as well.
 * @param withBalance an account was asked for: its balance afterwards is part of the result
 * @throws any other error of the request: it is the endpoint's own failure.
 */
export async function readSimulation(reply: Promise<SimulationReply>, { withBalance = false } = {}): Promise<Simulation> {
  try {
    const { context, value } = await reply
    if (typeof context.slot !== 'bigint') throw new Error('the endpoint did not return a slot')
    if (value.err === null) return { kind: 'valid', slot: context.slot, ...(withBalance && { balance: balanceOf(value.accounts) }) }
    // Executed already: its status says how it ended.
    if (value.err === 'AlreadyProcessed') return { kind: 'valid', slot: context.slot }
    return value.err === 'BlockhashNotFound' ? { kind: 'expired' } : { kind: 'fails', reason: simulationFailure(value.err) }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return { kind: 'fails', reason: simulationFailure(refusal) }
  }
}

/** An account without lamports does not exist. @throws Error if the endpoint did not return what was asked for */
function balanceOf(accounts: SimulationReply['value']['accounts']): Lamports {
  const account = accounts?.[0]
  if (account === null) return lamports(0n)
  if (typeof account?.lamports !== 'bigint') throw new Error('the endpoint did not return a balance')
  return lamports(account.lamports)
}

/** Why the network would reject a transaction, in words for players that can follow a colon. */
function simulationFailure(error: TransactionError): string {
  switch (error) {
    case 'AccountNotFound':
    case 'InsufficientFundsForFee':
    case 'InvalidAccountForFee':
      return NOT_ENOUGH
    case 'SignatureFailure':
    case 'MissingSignatureForFee':
      return 'its signature is not valid.'
    default:
      return typeof error === 'string' ? rejectedFor(error) : compoundFailure(error)
  }
}

/** The problem with the bytes or signatures, if an RPC error reports one. */
function refusalOf(error: unknown): TransactionError | undefined {
  if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE)) return 'SignatureFailure'
  if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH)) return 'SignatureFailure'
  if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE)) return 'SanitizeFailure'
  return isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS) ? 'SanitizeFailure' : undefined
}

function compoundFailure(error: Exclude<TransactionError, string>): string {
  if ('InsufficientFundsForRent' in error) return 'it would leave an account with less SOL than the network requires.'
  if (!('InstructionError' in error)) return rejectedFor(Object.keys(error).join())
  const reason = error.InstructionError[1]
  if (typeof reason === 'string') return rejectedFor(reason)
  return Number(reason.Custom) === TOO_LITTLE_TO_SEND ? NOT_ENOUGH : rejectedFor(`error ${reason.Custom}`)
}

function rejectedFor(reason: string): string {
  return `the network would reject it (${reason}).`
}
