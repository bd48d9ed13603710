import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  type TransactionError,
} from '@solana/kit'

/** The System program's error if the sender has too little (`SystemError::ResultWithNegativeLamports`). */
const TOO_LITTLE_TO_SEND = 1

const NOT_ENOUGH = 'the wallet does not have enough SOL for the payment and the network fee.'

/**
 * Why the network would reject a transaction, in words for players that can follow a colon.
 *
 * @returns undefined for one that it has executed already: its status says how it ended.
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
      return 'its signature is not valid.'
    default:
      return typeof error === 'string' ? rejectedFor(error) : compoundFailure(error)
  }
}

/**
 * The error of a simulation, null for none. What is wrong with the bytes or signatures comes as an RPC error and is returned as well;
 * every other failure is the endpoint's own and is rethrown.
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
  if ('InsufficientFundsForRent' in error) return 'it would leave an account with less SOL than the network requires.'
  if (!('InstructionError' in error)) return rejectedFor(Object.keys(error).join())
  const reason = error.InstructionError[1]
  if (typeof reason === 'string') return rejectedFor(reason)
  return Number(reason.Custom) === TOO_LITTLE_TO_SEND ? NOT_ENOUGH : rejectedFor(`error ${reason.Custom}`)
}

function rejectedFor(reason: string): string {
  return `the network would reject it (${reason}).`
}
