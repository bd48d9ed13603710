import { base58, base64 } from '@scure/base'

/** A JSON-RPC request. */
export interface RpcCall {
  id: unknown
  method: string
  params: unknown[]
}

const SIGNATURE_BYTES = 64

/** Reads one request. @returns undefined if the text is not a JSON-RPC request */
export function readCall(text: string): RpcCall | undefined {
  const call = parse(text)
  if (!isRecord(call) || typeof call['method'] !== 'string') return undefined
  const { id = null, method, params } = call
  return { id, method, params: Array.isArray(params) ? params : [] }
}

export function requestText({ id, method, params }: RpcCall): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

export function resultText({ id }: RpcCall, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

/** The answer of an RPC node that has not reached the slot that a call requires (Agave, `custom_error.rs`). */
export function behindText({ id }: RpcCall, contextSlot: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: -32016, message: 'Minimum context slot has not been reached', data: { contextSlot } },
  })
}

/** The result in a reply; undefined if it contains an error or is not a reply. */
export function resultIn(text: string): unknown {
  const reply = parse(text)
  return isRecord(reply) ? reply['result'] : undefined
}

/** The slot that a call requires the RPC node to have reached. */
export function minContextSlot({ params }: RpcCall): number | undefined {
  const slot = configOf(params)?.['minContextSlot']
  return typeof slot === 'number' ? slot : undefined
}

/** The call without its required slot. */
export function withoutMinContextSlot(call: RpcCall): RpcCall {
  const { minContextSlot: _, ...config } = configOf(call.params) ?? {}
  return { ...call, params: call.params.map((param) => (isRecord(param) ? config : param)) }
}

/** The signature of the transaction in a `sendTransaction`. */
export function sentSignature({ params: [transaction] }: RpcCall): string | undefined {
  if (typeof transaction !== 'string') return undefined
  try {
    return base58.encode(base64.decode(transaction).subarray(1, 1 + SIGNATURE_BYTES))
  } catch {
    return undefined
  }
}

/** The signatures in a `getSignatureStatuses` or `getTransaction`. */
export function askedSignatures({ params: [asked] }: RpcCall): string[] {
  return (Array.isArray(asked) ? asked : [asked]).filter((item) => typeof item === 'string')
}

/** The transactions that succeeded and are confirmed but not yet final, in a result of `getSignatureStatuses`. */
export function newlyConfirmed(call: RpcCall, result: unknown): string[] {
  const values = valuesOf(result)
  return askedSignatures(call).filter((_, index) => {
    const status = values[index]
    return isRecord(status) && status['err'] === null && status['confirmationStatus'] === 'confirmed'
  })
}

/** The result without the transactions that `isHidden` selects. `slot` is undefined for entries without a slot. */
export function hideFrom(call: RpcCall, result: unknown, isHidden: (signature: string, slot: number | undefined) => boolean): unknown {
  if (call.method === 'getSignatureStatuses' && isRecord(result)) {
    const asked = askedSignatures(call)
    const value = valuesOf(result).map((status, index) => (isHidden(asked[index] ?? '', slotOf(status)) ? null : status))
    return { ...result, value }
  }
  if (call.method === 'getSignaturesForAddress' && Array.isArray(result)) {
    return result.filter((entry) => !isRecord(entry) || !isHidden(String(entry['signature']), slotOf(entry)))
  }
  return result
}

/** Subtracts `slots` from a result that is a slot or height, and from the slot of its context. */
export function setBack(result: unknown, slots: number): unknown {
  if (typeof result === 'number') return Math.max(0, result - slots)
  if (!isRecord(result) || !isRecord(result['context'])) return result
  const slot = slotOf(result['context']) ?? 0
  return { ...result, context: { ...result['context'], slot: Math.max(0, slot - slots) } }
}

function valuesOf(result: unknown): unknown[] {
  return isRecord(result) && Array.isArray(result['value']) ? result['value'] : []
}

function slotOf(value: unknown): number | undefined {
  return isRecord(value) && typeof value['slot'] === 'number' ? value['slot'] : undefined
}

function configOf(params: unknown[]): Record<string, unknown> | undefined {
  return params.find(isRecord)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
