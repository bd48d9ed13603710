import { MAX_TRANSACTION_BASE64 } from '@juicebar/contract/limits'
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Failure } from '@juicebar/contract/errors'
import { JsonRpcRequest } from '@juicebar/contract/schemas/rpc'
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types'
import { isTransaction } from '../transactions/signed-transaction.ts'
import { AnswerCache } from '../rpc/answer-cache.ts'
import { paceMillis } from '../rpc/request-queue.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { type RpcReply } from '../rpc/rpc-reply.ts'
import { type Relay } from '../chain.ts'

/** Most test SOL in one request: 5 SOL. */
const MAX_AIRDROP_LAMPORTS = 5_000_000_000
/** Most bytes of an account's data in one reply. */
const MAX_ACCOUNT_BYTES = 1024
const MAX_STATUSES = 256

export interface RelayMethod {
  params: Validator
  /** Checks what the schema cannot express. */
  accepts?(params: readonly unknown[]): boolean
  /** Returns parameters that bound the size of the reply. */
  bound?(params: readonly unknown[]): unknown[]
  /** How long one answer serves all browsers; not cached by default. */
  cacheMillis?: number
  /**
   * Parameters of requests that every payment needs: these have the priority of the server's own. Only for cached methods, so that the
   * chain is asked once per `cacheMillis`, however many browsers ask.
   */
  urgentParams?: readonly (readonly unknown[])[]
  /** Only offered on a local test chain. */
  demoOnly?: true
  /** Never sent twice. */
  once?: true
}

const SECOND = 1000
const MINUTE = 60 * SECOND

const base58 = '^[1-9A-HJ-NP-Za-km-z]+$'
const address = Type.String({ minLength: 32, maxLength: 44, pattern: base58 })
const signature = Type.String({ minLength: 64, maxLength: 88, pattern: base58 })
const blockhash = address
const base64 = Type.String({ minLength: 1, maxLength: MAX_TRANSACTION_BASE64, pattern: '^[A-Za-z0-9+/]+={0,2}$' })
const integer = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const commitment = Type.Enum(['processed', 'confirmed', 'finalized'])
const flag = Type.Boolean()

const readOptions = { commitment, minContextSlot: integer }
const dataSlice = Type.Object(
  { offset: integer, length: Type.Integer({ minimum: 0, maximum: MAX_ACCOUNT_BYTES }) },
  { additionalProperties: false },
)

const methods: Record<string, RelayMethod> = {
  getBalance: { params: params([address], { optional: readOptions }), cacheMillis: 2 * SECOND },
  getLatestBlockhash: {
    params: params([], { optional: readOptions }),
    cacheMillis: SECOND,
    urgentParams: [[], [{ commitment: 'confirmed' }]],
  },
  getSignatureStatuses: {
    params: params([Type.Array(signature, { maxItems: MAX_STATUSES })], { optional: { searchTransactionHistory: flag } }),
  },
  sendTransaction: {
    params: params([base64], {
      required: { encoding: Type.Literal('base64') },
      optional: { skipPreflight: flag, preflightCommitment: commitment, maxRetries: integer, minContextSlot: integer },
    }),
    accepts: firstIsTransaction,
  },
  getMinimumBalanceForRentExemption: { params: params([integer], { optional: { commitment } }), cacheMillis: MINUTE },
  getGenesisHash: { params: params([]), cacheMillis: SECOND },
  getSlot: { params: params([], { optional: readOptions }), cacheMillis: SECOND },
  getBlockHeight: { params: params([], { optional: readOptions }), cacheMillis: SECOND },
  isBlockhashValid: { params: params([blockhash], { optional: readOptions }) },
  getFeeForMessage: { params: params([base64], { optional: readOptions }) },
  simulateTransaction: {
    params: params([base64], {
      required: { encoding: Type.Literal('base64') },
      optional: { ...readOptions, sigVerify: flag, replaceRecentBlockhash: flag, innerInstructions: flag },
    }),
    accepts: firstIsTransaction,
  },
  getAccountInfo: {
    params: params([address], { optional: { ...readOptions, encoding: Type.Literal('base64'), dataSlice } }),
    bound: withDataSlice,
  },
  getTransaction: {
    params: params([signature], {
      optional: {
        commitment,
        encoding: Type.Enum(['json', 'jsonParsed', 'base58', 'base64']),
        maxSupportedTransactionVersion: Type.Integer({ minimum: 0, maximum: 1 }),
      },
    }),
  },
  getHealth: { params: params([]), cacheMillis: SECOND },
  getVersion: { params: params([]), cacheMillis: MINUTE },
  requestAirdrop: {
    params: params([address, Type.Integer({ minimum: 1, maximum: MAX_AIRDROP_LAMPORTS })], { optional: { commitment } }),
    demoOnly: true,
    once: true,
  },
}

/** The JSON-RPC methods that the web app may call through the relay, by name. */
const relayMethods: ReadonlyMap<string, RelayMethod> = new Map(Object.entries(methods))

interface ConfigSchema {
  required?: Record<string, TSchema>
  optional: Record<string, TSchema>
}

/** The positional parameters, then a config object if the method has one; it is optional if nothing in it is required. */
function params(positional: TSchema[], config?: ConfigSchema): Validator {
  const bare = Type.Tuple(positional)
  if (!config) return Compile(bare)
  const { required, optional } = config
  const fields = Object.entries(optional).map(([name, schema]) => [name, Type.Optional(schema)])
  const withConfig = Type.Tuple([
    ...positional,
    Type.Object({ ...required, ...Object.fromEntries(fields) }, { additionalProperties: false }),
  ])
  return Compile(required ? withConfig : Type.Union([bare, withConfig]))
}

function firstIsTransaction([first]: readonly unknown[]): boolean {
  return typeof first === 'string' && isTransaction(first)
}

function withDataSlice([account, config]: readonly unknown[]): unknown[] {
  const chosen = typeof config === 'object' ? config : {}
  return [account, { encoding: 'base64', dataSlice: { offset: 0, length: MAX_ACCOUNT_BYTES }, ...chosen }]
}

const MAX_CACHED_REPLIES = 2000
/** The share of the budget for one answer that many browsers share; on a small budget, the answer is a little older. */
const CACHED = { share: 0.05, leastMillis: 0 }

const requestShape = Compile(JsonRpcRequest)

export interface RelayOptions {
  /** Whether to offer the methods of a test chain. */
  demo: boolean
  /** Returns monotonic milliseconds. */
  clock?: () => number
}

/**
 * The web app's only way to the chain, so that an endpoint's URL and key never reach a browser. It offers the methods of `relayMethods`
 * and shares short-lived replies between browsers. A reply carries the chain's result or error unchanged, except for anything that could
 * reveal the endpoint.
 *
 * The relay throws `Failure` BAD_REQUEST, RPC_REFUSED or CHAIN_DOWN.
 */
export function createRelay(pool: RpcPool, { demo, clock = () => performance.now() }: RelayOptions): Relay {
  const cache = new AnswerCache<RpcReply>(clock, MAX_CACHED_REPLIES)

  return async (request) => {
    if (!requestShape.Check(request)) {
      throw new Failure('BAD_REQUEST', { detail: 'Send one JSON-RPC 2.0 request with a method and a list of params.' })
    }
    const method = relayMethods.get(request.method)
    if (!method || (method.demoOnly && !demo)) throw new Failure('RPC_REFUSED')
    const params = checkParams(method, request.params ?? [])
    const send = (sent: unknown[]) =>
      pool.send(
        { jsonrpc: '2.0', id: '1', method: request.method, params: sent },
        { priority: isUrgent(method, sent) ? 'blockhash' : 'relay', once: method.once ?? false },
      )
    if (!method.cacheMillis) return replyText(pool, request.id ?? null, await send(params))
    const cacheMillis = Math.max(method.cacheMillis, paceMillis(pool.perSecond, CACHED))
    const sendCached = (sent: unknown[]) => cachedReply(cache, JSON.stringify([request.method, sent]), cacheMillis, () => send(sent))
    return replyText(pool, request.id ?? null, await recentReply(params, sendCached))
  }
}

function checkParams(method: RelayMethod, params: unknown[]): unknown[] {
  const fitting = method.params.Check(params) && (method.accepts?.(params) ?? true)
  if (!fitting) throw new Failure('BAD_REQUEST', { detail: 'The params do not fit this method, or ask for more than is allowed here.' })
  return method.bound?.(params) ?? params
}

function isUrgent({ urgentParams = [] }: RelayMethod, params: unknown[]): boolean {
  return urgentParams.some((urgent) => JSON.stringify(urgent) === JSON.stringify(params))
}

type Send = (params: unknown[]) => Promise<RpcReply>

/** Lets requests that differ only in `minContextSlot` share one reply, as long as its slot is not too old for them. */
async function recentReply(params: unknown[], send: Send): Promise<RpcReply> {
  const config = params.at(-1)
  if (typeof config !== 'object' || config === null || !('minContextSlot' in config)) return await send(params)
  const { minContextSlot, ...others } = config
  const reply = await send([...params.slice(0, -1), others])
  return slotOf(reply) >= Number(minContextSlot) ? reply : await send(params)
}

/** The slot of a reply, or an earlier one: a block height is never above its slot. -1 if unknown. */
function slotOf({ result }: RpcReply): number {
  const context = typeof result === 'object' && result !== null && 'context' in result ? result.context : undefined
  const slot = typeof context === 'object' && context !== null && 'slot' in context ? context.slot : result
  return typeof slot === 'bigint' ? Number(slot) : -1
}

async function cachedReply(cache: AnswerCache<RpcReply>, key: string, ttlMillis: number, send: () => Promise<RpcReply>): Promise<RpcReply> {
  const reply = await cache.get(key, ttlMillis, send)
  if ('error' in reply) cache.delete(key)
  return reply
}

function replyText(pool: RpcPool, id: string | number | null, reply: RpcReply): string {
  if ('error' in reply) return stringifyJsonWithBigInts({ jsonrpc: '2.0', id, error: mapStrings(reply.error, (text) => pool.scrub(text)) })
  return stringifyJsonWithBigInts({ jsonrpc: '2.0', id, result: reply.result })
}

/** A JSON value with each of its strings changed. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]))
}
