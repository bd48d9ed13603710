import { createHash } from 'node:crypto'

import { base58 } from '@scure/base'

import { type RpcCall } from './rpc-messages.ts'

/**
 * What an endpoint says that is not true. farAhead, farBehind: all slots and heights are too high, or too low. wrongBlockhashes: its
 * blockhashes are unknown to the chain, and it knows none. failingSimulations: every transaction would fail. hiding: there are no
 * transactions. broadcasting: the truth, but it sends what it is asked to simulate.
 */
export const lies = ['farAhead', 'farBehind', 'wrongBlockhashes', 'failingSimulations', 'hiding', 'broadcasting'] as const
export type Lie = (typeof lies)[number]

const AHEAD = 1_000_000
const BEHIND = -20_000
/** The fields of answers that are slots or heights. */
const moments = new Set(['slot', 'lastValidBlockHeight'])
/** Methods whose whole result is one. */
const momentMethods = new Set(['getSlot', 'getBlockHeight'])
/** The buyer has too little SOL: the system program's error 1. */
const failedSimulation = { err: { InstructionError: [0, { Custom: 1 }] }, accounts: null, logs: [], unitsConsumed: 150, returnData: null }

/** What a lying endpoint says in place of a result. */
export function lieAbout(lie: Lie, call: RpcCall, result: unknown): unknown {
  switch (lie) {
    case 'farAhead':
      return momentsMoved(call, result, AHEAD)
    case 'farBehind':
      return momentsMoved(call, result, BEHIND)
    case 'wrongBlockhashes':
      return withoutBlockhashes(call, result)
    case 'failingSimulations':
      return call.method === 'simulateTransaction' && isRecord(result) ? { ...result, value: failedSimulation } : result
    case 'hiding':
      return withoutTransactions(call, result)
    case 'broadcasting':
      return result
  }
}

function momentsMoved({ method }: RpcCall, result: unknown, by: number): unknown {
  const moved = (value: number) => Math.max(0, value + by)
  if (typeof result === 'number') return momentMethods.has(method) ? moved(result) : result
  if (result === undefined) return result
  return JSON.parse(JSON.stringify(result), (name, value: unknown) =>
    typeof value === 'number' && moments.has(name) ? moved(value) : value,
  )
}

function withoutBlockhashes({ method }: RpcCall, result: unknown): unknown {
  if (!isRecord(result)) return result
  if (method === 'isBlockhashValid') return { ...result, value: false }
  const { value } = result
  if (method !== 'getLatestBlockhash' || !isRecord(value)) return result
  const other = createHash('sha256').update(String(value['blockhash'])).digest()
  return { ...result, value: { ...value, blockhash: base58.encode(other) } }
}

function withoutTransactions({ method }: RpcCall, result: unknown): unknown {
  if (method === 'getTransaction') return null
  if (method === 'getSignaturesForAddress') return []
  if (method !== 'getSignatureStatuses' || !isRecord(result) || !Array.isArray(result['value'])) return result
  return { ...result, value: result['value'].map(() => null) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
