import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import {
  address,
  type Base64EncodedWireTransaction,
  blockhash,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  type TransactionError,
} from '@solana/kit'
import { type Lamports, lamports } from '@juicebar/contract/money'

import { type Simulation, type SimulationOptions } from '../chain.ts'
import { type ChainRpc } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { blockhashOf, wireTransaction } from '../transactions/message.ts'
import { type Outliers, requireInteger } from './finalized-height.ts'
import { type SharedReads } from './shared-reads.ts'

type Refusal = Exclude<Simulation, { kind: 'valid' }>

/** How many endpoints must say that a transaction would fail, if there are as many. */
const WITNESSES = 2

/** Runs transactions without sending them, and believes no endpoint alone that a payment must be refused. */
export class Simulations {
  readonly #pool: RpcPool
  readonly #shared: SharedReads
  readonly #outliers: Outliers

  constructor(pool: RpcPool, shared: SharedReads, outliers: Outliers) {
    this.#pool = pool
    this.#shared = shared
    this.#outliers = outliers
  }

  /** See `simulate` of the port `Chain`. */
  async simulate(transactionBytes: Uint8Array, { awaitsCoSigner }: SimulationOptions = {}): Promise<Simulation> {
    const slotBefore = this.#shared.slotSeen
    const encoded = wireTransaction(transactionBytes)
    const refusals: Refusal[] = []
    const outcome = await this.#pool.askInTurn('payment', async (rpc, endpoint) => {
      const simulation = await (awaitsCoSigner ? simulateIncomplete(rpc, encoded, awaitsCoSigner) : simulateComplete(rpc, encoded))
      if (simulation.kind === 'valid') {
        await this.#outliers.require(endpoint, 'slot', simulation.slot)
        return simulation
      }
      refusals.push(simulation)
      return refusals.filter(({ kind }) => kind === 'fails').length < WITNESSES ? undefined : simulation
    })
    const refused = outcome ?? refusals.find(({ kind }) => kind === 'fails')
    if (refused) return refused
    await this.#requireExpired(blockhashOf(transactionBytes), slotBefore)
    return { kind: 'expired' }
  }

  /**
   * An endpoint that is behind does not know a fresh blockhash yet, and answers as if it were too old. Whoever signed with it had it from an
   * endpoint that had seen it, so no endpoint proves anything that is behind the newest slot of all answers before.
   *
   * @throws Failure CHAIN_DOWN if an endpoint knows the blockhash, or all of them are behind.
   */
  async #requireExpired(signedWith: string, slotBefore: bigint): Promise<void> {
    const answers = await this.#pool.askAll('payment', async (rpc) => {
      const { context, value } = await rpc.isBlockhashValid(blockhash(signedWith), { commitment: 'processed' }).send()
      if (typeof value !== 'boolean') throw new Error('the endpoint did not say whether a blockhash is valid')
      return { slot: requireInteger(context.slot), isValid: value }
    })
    const isKnown = answers.some(({ isValid }) => isValid)
    const isCurrent = answers.some(({ slot }) => slot >= slotBefore)
    if (isKnown || !isCurrent) throw new Failure('CHAIN_DOWN', { cause: new Error('endpoints that are behind do not know a blockhash') })
  }
}

function simulateComplete(rpc: ChainRpc, transaction: Base64EncodedWireTransaction): Promise<Simulation> {
  return readSimulation(rpc.simulateTransaction(transaction, { encoding: 'base64', sigVerify: true, commitment: 'confirmed' }).send())
}

function simulateIncomplete(rpc: ChainRpc, transaction: Base64EncodedWireTransaction, buyer: WalletAddress): Promise<Simulation> {
  const accounts = { addresses: [address(buyer)], encoding: 'base64' } as const
  const config = { encoding: 'base64', sigVerify: false, commitment: 'processed', accounts } as const
  return readSimulation(rpc.simulateTransaction(transaction, config).send(), { withBalance: true })
}

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
async function readSimulation(reply: Promise<SimulationReply>, { withBalance = false } = {}): Promise<Simulation> {
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
