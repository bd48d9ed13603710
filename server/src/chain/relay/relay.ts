import { Failure } from '@juicebar/contract/errors'
import { JsonRpcRequest } from '@juicebar/contract/schemas'
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types'
import { Compile } from 'typebox/compile'

import { AnswerCache } from '../rpc/answer-cache.ts'
import { type RpcReply } from '../rpc/endpoint.ts'
import { type RelayMethod, relayMethods } from './relay-methods.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'

const MAX_KEPT_ANSWERS = 2000

const requestShape = Compile(JsonRpcRequest)

/** Takes one parsed JSON-RPC request and gives the reply as JSON text. */
export type Relay = (request: unknown) => Promise<string>

/**
 * The page's way to the chain, so that an endpoint's URL and key never reach a browser. Offers the calls of `relayMethods`, those of a
 * test chain only with `demo`. Short-lived answers are shared between pages. The reply carries the chain's result or error as it is,
 * but for whatever could tell the endpoint. Throws BAD_REQUEST, RPC_REFUSED or CHAIN_DOWN.
 */
export function createRelay(pool: RpcPool, { demo, clock = () => performance.now() }: { demo: boolean; clock?: () => number }): Relay {
  const kept = new AnswerCache<RpcReply>(clock, MAX_KEPT_ANSWERS)

  return async (request) => {
    if (!requestShape.Check(request))
      throw new Failure('BAD_REQUEST', { detail: 'Send one JSON-RPC 2.0 request with a method and a list of params.' })
    const method = relayMethods.get(request.method)
    if (!method || (method.demoOnly && !demo)) throw new Failure('RPC_REFUSED')
    const params = checkParams(method, request.params ?? [])
    const send = (asked: unknown[]) =>
      pool.send(
        { jsonrpc: '2.0', id: '1', method: request.method, params: asked },
        { priority: isNeeded(method, asked) ? 'blockhash' : 'page', once: method.once ?? false },
      )
    const { keepMillis } = method
    if (!keepMillis) return replyText(pool, request.id ?? null, await send(params))
    const share = (asked: unknown[]) => sharedAnswer(kept, JSON.stringify([request.method, asked]), keepMillis, () => send(asked))
    return replyText(pool, request.id ?? null, await lateEnoughAnswer(params, share))
  }
}

function checkParams(method: RelayMethod, params: unknown[]): unknown[] {
  const fitting = method.params.Check(params) && (method.accepts?.(params) ?? true)
  if (!fitting) throw new Failure('BAD_REQUEST', { detail: 'The params do not fit this chain call, or ask for more than is offered here.' })
  return method.bound?.(params) ?? params
}

function isNeeded({ needed = [] }: RelayMethod, params: unknown[]): boolean {
  return needed.some((question) => JSON.stringify(question) === JSON.stringify(params))
}

type Ask = (params: unknown[]) => Promise<RpcReply>

/** Lets questions that differ only by `minContextSlot` share one answer, wherever that is of a slot late enough. */
async function lateEnoughAnswer(params: unknown[], ask: Ask): Promise<RpcReply> {
  const settings = params.at(-1)
  if (typeof settings !== 'object' || settings === null || !('minContextSlot' in settings)) return await ask(params)
  const { minContextSlot, ...others } = settings
  const reply = await ask([...params.slice(0, -1), others])
  return slotOf(reply) >= Number(minContextSlot) ? reply : await ask(params)
}

/** The slot that an answer was true at, or one before it: a block height is never above its slot. */
function slotOf({ result }: RpcReply): number {
  const context = typeof result === 'object' && result !== null && 'context' in result ? result.context : undefined
  const slot = typeof context === 'object' && context !== null && 'slot' in context ? context.slot : result
  return typeof slot === 'bigint' ? Number(slot) : -1
}

async function sharedAnswer(kept: AnswerCache<RpcReply>, key: string, millis: number, send: () => Promise<RpcReply>): Promise<RpcReply> {
  const reply = await kept.get(key, millis, send)
  if ('error' in reply) kept.forget(key)
  return reply
}

function replyText(pool: RpcPool, id: string | number | null, reply: RpcReply): string {
  if ('error' in reply)
    return stringifyJsonWithBigInts({ jsonrpc: '2.0', id, error: withEveryText(reply.error, (text) => pool.scrub(text)) })
  return stringifyJsonWithBigInts({ jsonrpc: '2.0', id, result: reply.result })
}

/** A JSON value with each of its texts changed. */
function withEveryText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => withEveryText(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withEveryText(item, change)]))
}
