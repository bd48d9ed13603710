import { ApiError } from './api-error.ts'
import { askChain } from './client.ts'

/** What one request for test SOL brings, in lamports. */
const AIRDROP_LAMPORTS = 5_000_000_000

/**
 * @returns a wallet's SOL in lamports, at commitment `confirmed`
 * @throws ApiError if it could not be read: a failed read is never 0
 */
export async function readSolBalance(walletAddress: string, signal?: AbortSignal): Promise<bigint> {
  const value = readValue(await askChain('getBalance', [walletAddress, { commitment: 'confirmed' }], signal))
  if (typeof value !== 'number') throw unreadable()
  return BigInt(value)
}

/**
 * The newest blockhash at commitment `confirmed`, and the last block height at which a transaction that uses it can land.
 *
 * @throws ApiError
 */
export async function readLatestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }> {
  const value = readValue(await askChain('getLatestBlockhash', [{ commitment: 'confirmed' }]))
  if (typeof value !== 'object' || value === null) throw unreadable()
  if (!('blockhash' in value) || typeof value.blockhash !== 'string') throw unreadable()
  if (!('lastValidBlockHeight' in value) || typeof value.lastValidBlockHeight !== 'number') throw unreadable()
  return { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
}

/**
 * Asks the local chain for test SOL.
 *
 * @throws ApiError if the chain refuses
 */
export async function requestTestSol(walletAddress: string): Promise<void> {
  await askChain('requestAirdrop', [walletAddress, AIRDROP_LAMPORTS])
}

function readValue(result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'value' in result) return result.value
  throw unreadable()
}

function unreadable(): ApiError {
  return new ApiError('BAD_REPLY', 'The Solana network sent an answer that could not be read.')
}
