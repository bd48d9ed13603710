import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  type TransactionError,
} from '@solana/kit'

/** The System program's error for a sender that has too little (`SystemError::ResultWithNegativeLamports`). */
const TOO_LITTLE_TO_SEND = 1

const NOT_ENOUGH = 'the wallet does not have enough SOL for the payment and the network fee.'

/**
 * Says in words for people why the network would refuse a transaction. Undefined for one that it has executed already: its outcome
 * is learned from its status.
 */
export function simulationFailure(error: TransactionError): string | undefined {
  switch (error) {
    case 'AlreadyProcessed':
      return undefined
    case 'BlockhashNotFound':
      return 'it is too old, or was made for another network. Please try again.'
    case 'AccountNotFound':
    case 'InsufficientFundsForFee':
    case 'InvalidAccountForFee':
      return NOT_ENOUGH
    case 'SignatureFailure':
    case 'MissingSignatureForFee':
      return 'its signature is not right.'
    default:
      return typeof error === 'string' ? refusedFor(error) : compoundFailure(error)
  }
}

/**
 * The error that a transaction meets in a simulation, null for none. An endpoint tells what is wrong with the bytes or signatures as
 * an RPC error; every other failure is the endpoint's and is thrown on.
 */
export async function simulationError(simulation: Promise<{ value: { err: TransactionError | null } }>): Promise<TransactionError | null> {
  try {
    return (await simulation).value.err
  } catch (error) {
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE)) return 'SignatureFailure'
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH)) return 'SignatureFailure'
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE)) return 'SanitizeFailure'
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS)) return 'SanitizeFailure'
    throw error
  }
}

function compoundFailure(error: Exclude<TransactionError, string>): string {
  if ('InsufficientFundsForRent' in error) return 'it would leave an account with less SOL than the network demands of every account.'
  if (!('InstructionError' in error)) return refusedFor(Object.keys(error).join())
  const reason = error.InstructionError[1]
  if (typeof reason === 'string') return refusedFor(reason)
  return Number(reason.Custom) === TOO_LITTLE_TO_SEND ? NOT_ENOUGH : refusedFor(`error ${reason.Custom}`)
}

function refusedFor(reason: string): string {
  return `the network would refuse it (${reason}).`
}
