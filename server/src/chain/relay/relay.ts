import { Failure } from '@juicebar/contract/errors'
import { JsonRpcRequest } from '@juicebar/contract/schemas/rpc'
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types'
import { Compile } from 'typebox/compile'

import { AnswerCache } from '../rpc/answer-cache.ts'
import { paceMillis } from '../rpc/pace.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { type RpcReply } from '../rpc/rpc-reply.ts'
import { type RelayMethod, relayMethods } from './relay-methods.ts'

const MAX_CACHED_REPLIES = 2000
/** The share of the budget for one answer that many browsers share; on a small budget, the answer is a little older. */
const CACHED = { share: 0.05, leastMillis: 0 }

const requestShape = Compile(JsonRpcRequest)

/** Takes one parsed JSON-RPC request and returns the reply as JSON text. */
export type Relay = (request: unknown) => Promise<string>

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
