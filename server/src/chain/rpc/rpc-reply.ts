import { EndpointError } from './endpoint-error.ts'

/** A JSON-RPC reply as the transport parsed it: integers are bigints. */
export interface RpcReply {
  result?: unknown
  error?: unknown
}

/** JSON-RPC error codes that providers use for their rate limits. */
const RATE_LIMIT_CODES = new Set([429, -32429])
/** "Transaction simulation failed": kit reads the error's `data` and throws a TypeError if there is none. */
const SIMULATION_FAILED = -32002

/**
 * Checks that an endpoint answered in JSON-RPC.
 *
 * @returns the reply, which may hold a JSON-RPC error, in a form that kit can read.
 * @throws EndpointError if it is no JSON-RPC reply, or says that the endpoint's rate limit is reached.
 */
export function requireRpcReply(reply: unknown, host: string): RpcReply {
  if (!isRpcReply(reply)) throw new EndpointError(host, 'broken', 'answered something that is not JSON-RPC')
  const code = errorCodeOf(reply)
  if (code !== undefined && RATE_LIMIT_CODES.has(code)) throw new EndpointError(host, 'rate-limited', 'is over its rate limit')
  return code === SIMULATION_FAILED ? withErrorData(reply) : reply
}

/** The code of a reply's JSON-RPC error; undefined if it is no error. */
export function errorCodeOf(reply: RpcReply): number | undefined {
  const { error } = reply
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'bigint' || typeof error.code === 'number' ? Number(error.code) : undefined
}

function isRpcReply(reply: unknown): reply is RpcReply {
  return typeof reply === 'object' && reply !== null && ('result' in reply || 'error' in reply)
}

function withErrorData(reply: RpcReply): RpcReply {
  const { error } = reply
  if (typeof error !== 'object' || error === null || ('data' in error && error.data)) return reply
  return { ...reply, error: { ...error, data: {} } }
}
