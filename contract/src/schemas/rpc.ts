import Type from 'typebox'

import { type CallSchema, chainFailures } from './call.ts'
import { closed } from './fields.ts'

/** The body of `POST /rpc`; the relay itself decides which methods and params it accepts. */
export const JsonRpcRequest = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Null()])),
    method: Type.String({ maxLength: 64, description: 'A method of Solana’s RPC API, such as `getLatestBlockhash`' }),
    params: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 4 })),
  },
  { ...closed, title: 'JsonRpcRequest' },
)

const JsonRpcReply = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    result: Type.Optional(Type.Unknown({ description: 'as the chain returned it' })),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() }, { description: 'The chain’s own refusal' })),
  },
  { title: 'JsonRpcReply' },
)

export const rpcCalls = {
  rpc: {
    summary: 'Relay a Solana JSON-RPC request; only the methods a web app needs',
    failures: ['RPC_REFUSED', ...chainFailures],
    documented: { body: JsonRpcRequest, replies: { 200: { content: { 'application/json': JsonRpcReply } } } },
  },
} as const satisfies Record<string, CallSchema>
