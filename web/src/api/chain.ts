import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { queryOptions } from '@tanstack/react-query'

import { ApiError } from './api-error.ts'
import { callEndpoint } from './client.ts'
import { keys } from './queries.ts'

/** What one request for test SOL brings, in lamports. */
const AIRDROP_LAMPORTS = 5_000_000_000

/** A wallet's SOL in lamports. */
export function solQuery(walletAddress: string) {
  return queryOptions({
    queryKey: [...keys.sol, walletAddress],
    queryFn: ({ signal }) => readSolBalance(walletAddress, signal),
    refetchInterval: 30_000,
    meta: { quiet: true },
  })
}

/**
 * @returns a wallet's SOL in lamports, at commitment `confirmed`
 * @throws ApiError if it could not be read: a failed read is never 0
 */
async function readSolBalance(walletAddress: string, signal?: AbortSignal): Promise<bigint> {
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

/**
 * Sends one JSON-RPC request through the server's relay.
 *
 * @returns the reply's `result`
 * @throws ApiError, with CHAIN_DOWN if the chain itself answers with an error
 */
async function askChain(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
  const reply = await callEndpoint<unknown>(playerEndpoints.rpc, { body: { jsonrpc: '2.0', id: 1, method, params }, signal })
  if (typeof reply === 'object' && reply !== null && 'result' in reply) return reply.result
  throw new ApiError('CHAIN_DOWN', chainSentence(reply), { status: 200 })
}

function chainSentence(reply: unknown): string {
  const hasError = typeof reply === 'object' && reply !== null && 'error' in reply
  const error = hasError ? reply.error : undefined
  const text = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'no reason given'
  return `The Solana network answered with an error: ${text}`
}

function readValue(result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'value' in result) return result.value
  throw unreadable()
}

function unreadable(): ApiError {
  return new ApiError('BAD_REPLY', 'The Solana network sent an answer that could not be read.')
}
