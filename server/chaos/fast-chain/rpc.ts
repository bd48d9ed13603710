import { randomBytes } from 'node:crypto'

import { base58 } from '@scure/base'

import { RENT_LAMPORTS, SYSTEM_PROGRAM, transferIn } from './execution.ts'
import { type Commitment, type LandedTransaction, type Ledger } from './ledger.ts'
import { type Instruction, readTransaction, type SignedTransaction } from './transaction.ts'

/** An error of JSON-RPC, with the codes of Agave (`custom_error.rs`). */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

type Config = Readonly<Record<string, unknown>>
type Method = (ledger: Ledger, params: readonly unknown[], config: Config) => unknown

const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601
const SIGNATURE_FAILURE = -32003
const BEHIND = -32016
const SIGNATURES_PER_PAGE = 1_000
/** Bytes of an account beside its data that rent is paid for (Agave, `ACCOUNT_STORAGE_OVERHEAD`). */
const ACCOUNT_BYTES = 128

const genesisHash = base58.encode(randomBytes(32))

/** The calls that the market, its tools and wallets make. `chaos_fork` is this chain's own. */
const methods: Readonly<Record<string, Method>> = {
  getGenesisHash: () => genesisHash,
  getFirstAvailableBlock: () => 0,
  getMinimumBalanceForRentExemption: (_, [bytes]) => (Number(RENT_LAMPORTS) / ACCOUNT_BYTES) * (ACCOUNT_BYTES + Number(bytes)),
  getSlot: (ledger, _, config) => ledger.view(commitmentIn(config)).slot,
  getBlockHeight: (ledger, _, config) => ledger.view(commitmentIn(config)).height,
  getLatestBlockhash: (ledger, _, config) => inContext(ledger, config, ledger.latestBlockhash(commitmentIn(config))),
  isBlockhashValid: (ledger, [blockhash], config) => inContext(ledger, config, ledger.isValid(text(blockhash), commitmentIn(config))),
  getBalance: (ledger, [address], config) => inContext(ledger, config, Number(ledger.balanceOf(text(address), commitmentIn(config)))),
  getMultipleAccounts: (ledger, [addresses], config) =>
    inContext(
      ledger,
      config,
      texts(addresses).map((address) => accountOf(ledger.balanceOf(address, commitmentIn(config)))),
    ),
  getSignatureStatuses: (ledger, [signatures]) =>
    inContext(
      ledger,
      { commitment: 'processed' },
      texts(signatures).map((signature) => statusOf(ledger, signature)),
    ),
  getSignaturesForAddress: signaturesForAddress,
  getTransaction: (ledger, [signature], config) => {
    const found = ledger.landed(text(signature), commitmentIn(config))
    return found ? (config['encoding'] === 'jsonParsed' ? parsed(found) : encoded(found)) : null
  },
  sendTransaction: (ledger, [transaction], config) => {
    if (config['skipPreflight'] !== true) throw new RpcError(INVALID_PARAMS, 'this chain makes no preflight checks')
    const read = transactionIn(transaction)
    ledger.execute(read)
    return read.signature
  },
  simulateTransaction: simulate,
  requestAirdrop: (ledger, [address, lamports]) => {
    ledger.airdrop(text(address), BigInt(Number(lamports)))
    return base58.encode(randomBytes(64))
  },
  chaos_fork: (ledger, [blocks]) => ledger.fork(Number(blocks)),
}

/** @throws RpcError */
export function answerCall(ledger: Ledger, method: string, params: readonly unknown[]): unknown {
  const call = methods[method]
  if (!call) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
  const config = params.find(isConfig) ?? {}
  const { slot } = ledger.view(commitmentIn(config))
  if (Number(config['minContextSlot'] ?? 0) > slot) {
    throw new RpcError(BEHIND, 'Minimum context slot has not been reached', { contextSlot: slot })
  }
  return call(ledger, params, config)
}

function simulate(ledger: Ledger, [transaction]: readonly unknown[], config: Config): unknown {
  const read = transactionIn(transaction)
  if (config['sigVerify'] === true && !read.isSigned) throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure')
  const outcome = ledger.simulate(read, commitmentIn(config))
  const asked = isConfig(config['accounts']) ? texts(config['accounts']['addresses']) : undefined
  const after = (address: string) => (outcome.kind === 'executed' ? (outcome.after.get(address) ?? 0n) : 0n)
  const accounts = asked?.map((address) => accountOf(after(address))) ?? null
  return inContext(ledger, config, { err: outcome.err, logs: [], accounts, unitsConsumed: 0, returnData: null })
}

function signaturesForAddress(ledger: Ledger, [address]: readonly unknown[], config: Config): unknown {
  const all = ledger.history(text(address), commitmentIn(config)).toReversed()
  const first = config['before'] === undefined ? 0 : positionOf(all, config['before']) + 1
  const until = config['until'] === undefined ? -1 : positionOf(all, config['until'])
  // A node returns nothing before a signature that it does not know.
  if (config['before'] !== undefined && first === 0) return []
  const limit = Number(config['limit'] ?? SIGNATURES_PER_PAGE)
  return all
    .slice(first, until === -1 ? undefined : until)
    .slice(0, limit)
    .map((each) => ({
      signature: each.transaction.signature,
      slot: each.block.slot,
      err: each.err,
      memo: null,
      blockTime: each.block.time,
      confirmationStatus: ledger.commitmentOf(each),
    }))
}

function positionOf(all: readonly LandedTransaction[], signature: unknown): number {
  return all.findIndex(({ transaction }) => transaction.signature === signature)
}

function statusOf(ledger: Ledger, signature: string): unknown {
  const found = ledger.landed(signature, 'processed')
  if (!found) return null
  const confirmationStatus = ledger.commitmentOf(found)
  const status = found.err === null ? { Ok: null } : { Err: found.err }
  const confirmations = confirmationStatus === 'finalized' ? null : ledger.blocksAbove(found)
  return { slot: found.block.slot, confirmations, err: found.err, status, confirmationStatus }
}

function encoded(landed: LandedTransaction): unknown {
  return { ...inBlock(landed), transaction: [landed.transaction.base64, 'base64'] }
}

function parsed(landed: LandedTransaction): unknown {
  const { signatures, accounts, instructions, blockhash } = landed.transaction
  const accountKeys = accounts.map(({ address, isSigner, isWritable }) => {
    return { pubkey: address, signer: isSigner, writable: isWritable, source: 'transaction' }
  })
  const message = { accountKeys, instructions: instructions.map(parsedInstruction), recentBlockhash: blockhash }
  return { ...inBlock(landed), transaction: { signatures, message } }
}

function parsedInstruction(instruction: Instruction): unknown {
  const transfer = transferIn(instruction)
  const [source, destination] = instruction.accounts.map(({ address }) => address)
  if (!transfer) return { programId: instruction.program, accounts: instruction.accounts.map(({ address }) => address) }
  const info = { source, destination, lamports: Number(transfer.lamports) }
  return { program: 'system', programId: instruction.program, parsed: { type: 'transfer', info } }
}

function inBlock({ block, err, fee, before, after, transaction }: LandedTransaction) {
  const meta = {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: Number(fee),
    preBalances: before.map(Number),
    postBalances: after.map(Number),
    innerInstructions: [],
    loadedAddresses: { writable: [], readonly: [] },
    logMessages: [],
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
  }
  return { slot: block.slot, blockTime: block.time, meta, version: transaction.version }
}

function accountOf(lamports: bigint): unknown {
  if (lamports === 0n) return null
  return { lamports: Number(lamports), owner: SYSTEM_PROGRAM, data: ['', 'base64'], executable: false, rentEpoch: 0, space: 0 }
}

function inContext(ledger: Ledger, config: Config, value: unknown): unknown {
  return { context: { slot: ledger.view(commitmentIn(config)).slot, apiVersion: '2.0.0' }, value }
}

function commitmentIn({ commitment = 'finalized' }: Config): Commitment {
  if (commitment === 'processed' || commitment === 'confirmed' || commitment === 'finalized') return commitment
  throw new RpcError(INVALID_PARAMS, 'Invalid params: unknown commitment')
}

function transactionIn(param: unknown): SignedTransaction {
  try {
    return readTransaction(text(param))
  } catch (cause) {
    throw new RpcError(INVALID_PARAMS, `Invalid params: ${cause instanceof Error ? cause.message : 'not a transaction'}`)
  }
}

function texts(param: unknown): string[] {
  if (!Array.isArray(param)) throw new RpcError(INVALID_PARAMS, 'Invalid params: not a list')
  return param.map(text)
}

function text(param: unknown): string {
  if (typeof param === 'string') return param
  throw new RpcError(INVALID_PARAMS, 'Invalid params: not a string')
}

function isConfig(param: unknown): param is Config {
  return typeof param === 'object' && param !== null && !Array.isArray(param)
}
