import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickOne, pickShare } from '../seeded-random.ts'
import {
  askedSignatures,
  behindText,
  hideFrom,
  minContextSlot,
  newlyConfirmed,
  putBack,
  readCall,
  requestText,
  resultIn,
  resultText,
  type RpcCall,
  sentSignature,
  withoutMinContextSlot,
} from './rpc-messages.ts'

/**
 * What may happen to one call. dropped: the connection breaks before the chain hears of it. delayed: it takes long. limited: status
 * 429 with Retry-After. failed: status 500, 502 or 503. lostReply: the chain does it and the connection breaks before the answer.
 * stale: a node answers that is behind.
 */
export const callFaults = ['dropped', 'delayed', 'limited', 'failed', 'lostReply', 'stale'] as const
/**
 * What may happen to a transaction that was seen confirmed. vanished: the chain denies it for a while before it is final.
 * rolledBack: the chain denies it for ever, and takes it no more.
 */
export const fates = ['vanished', 'rolledBack'] as const

export type CallFault = (typeof callFaults)[number]
export type Fate = (typeof fates)[number]
export type FaultCounts = Record<CallFault | Fate | 'stalled', number>
type CallRates = Partial<Record<CallFault, number>>

export interface FaultRates {
  /** Probability of each fault for a call of any method; their sum is at most 1. */
  calls: CallRates
  /** Other probabilities for some methods. */
  methods?: Record<string, CallRates>
  /** Probability of each fate for a transaction that is seen confirmed for the first time. */
  transactions: Partial<Record<Fate, number>>
}

export interface FaultProxyOptions {
  /** The RPC URL of the chain behind it. */
  target: string
  seed: number
  rates: FaultRates
  /** Of the chain: how far behind a stale node is, and how long a transaction may vanish, follow from it. */
  slotMillis: number
}

export interface FaultProxy {
  url: string
  /** How often each fault was injected so far. */
  counts: FaultCounts
  /** Transactions that the chain behind has, but that are denied for ever. */
  rolledBack: ReadonlySet<string>
  /** From now on nothing goes wrong by chance; what was rolled back stays so. */
  calm(): void
  /** Answers nothing at all for so long. */
  stall(millis: number): Promise<void>
  /** Denies this transaction for so long; for ever where no time is given. */
  hide(signature: string, millis?: number): void
  stop(): Promise<void>
}

export const noFaults: FaultRates = { calls: {}, transactions: {} }

/** Methods that a node which is behind answers otherwise than one that is not. */
const staleMethods = new Set(['getSlot', 'getBlockHeight', 'getSignatureStatuses', 'getSignaturesForAddress'])
/** Further behind than the margin with which lots are released. */
const STALE_SLOTS = 40
/** Fewer than the 31 after which a transaction is final: only until then may an honest chain deny it. */
const VANISHED_SLOTS = 20
/** A transaction mostly shows as confirmed for up to so long before its fate comes: some are delivered by then and some are not. */
const SLOTS_BEFORE_FATE = 6
const FATE_AT_ONCE = 0.3
const DELAY_MILLIS = { low: 50, high: 1_500 }
const RETRY_AFTER_SECONDS = 1
const FAILURES = [500, 502, 503]

interface Answer {
  status: number
  text: string
}

/**
 * An HTTP proxy before a chain's JSON-RPC that makes it misbehave as public endpoints do. What happens to the n-th call of a method,
 * and to the n-th transaction seen confirmed, depends on the seed alone.
 */
export async function startFaultProxy({ target, seed, rates: givenRates, slotMillis }: FaultProxyOptions): Promise<FaultProxy> {
  let rates = givenRates
  let standstill: Promise<unknown> = Promise.resolve()
  const counts: FaultCounts = {
    dropped: 0,
    delayed: 0,
    limited: 0,
    failed: 0,
    lostReply: 0,
    stale: 0,
    vanished: 0,
    rolledBack: 0,
    stalled: 0,
  }
  const calls = new Map<string, number>()
  const denials = createDenials()
  const upstream = createUpstream(target)

  async function serve(call: RpcCall, response: ServerResponse): Promise<void> {
    const count = (calls.get(call.method) ?? 0) + 1
    calls.set(call.method, count)
    await standstill
    const path = ['call', call.method, count]
    const picked = pickShare<CallFault>(seed, path, rates.methods?.[call.method] ?? rates.calls)
    const fault = picked === 'stale' && !staleMethods.has(call.method) ? undefined : picked
    if (fault) counts[fault] += 1
    await treat(fault, call, path, response)
  }

  async function treat(fault: CallFault | undefined, call: RpcCall, path: Path, response: ServerResponse): Promise<void> {
    switch (fault) {
      case 'dropped':
        response.socket?.destroy()
        return
      case 'limited':
        response.writeHead(429, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end('Too many requests')
        return
      case 'failed':
        response.writeHead(pickOne(seed, [...path, 'status'], FAILURES) ?? 500, { 'content-type': 'text/html' }).end('<html>')
        return
      case 'lostReply':
        await answer(call)
        response.socket?.destroy()
        return
      case 'delayed':
        await delay(between(seed, [...path, 'millis'], DELAY_MILLIS.low, DELAY_MILLIS.high))
        return send(response, await answer(call))
      case 'stale':
        return send(response, await answerFromThePast(call))
      case undefined:
        return send(response, await answer(call))
    }
  }

  /** What the chain says, but for the transactions that it denies now. */
  async function answer(call: RpcCall): Promise<Answer> {
    switch (call.method) {
      case 'sendTransaction': {
        const signature = sentSignature(call)
        return signature !== undefined && denials.isForEver(signature) ? ok(resultText(call, signature)) : upstream.send(call)
      }
      case 'getTransaction':
        return askedSignatures(call).some(denials.isDenied) ? ok(resultText(call, null)) : upstream.send(call)
      case 'getSignatureStatuses':
      case 'getSignaturesForAddress': {
        // Surfpool takes minContextSlot here for a filter; a node that conforms only refuses where it has not reached that slot.
        const reply = await upstream.send(withoutMinContextSlot(call))
        const result = resultIn(reply.text)
        if (result === undefined) return reply
        if (call.method === 'getSignatureStatuses') newlyConfirmed(call, result).forEach(decideFate)
        return ok(resultText(call, hideFrom(call, result, denials.isDenied)))
      }
      default:
        return upstream.send(call)
    }
  }

  /** What a node says that is some slots behind. */
  async function answerFromThePast(call: RpcCall): Promise<Answer> {
    const newest = Math.max(0, (await upstream.slot()) - STALE_SLOTS)
    if ((minContextSlot(call) ?? 0) > newest) return ok(behindText(call, newest))
    const reply = await answer(call)
    const result = resultIn(reply.text)
    if (result === undefined) return reply
    return ok(
      resultText(
        call,
        putBack(
          hideFrom(call, result, (_, slot) => slot !== undefined && slot > newest),
          STALE_SLOTS,
        ),
      ),
    )
  }

  const decided = new Set<string>()
  function decideFate(signature: string): void {
    if (decided.has(signature)) return
    decided.add(signature)
    const path = ['fate', decided.size]
    const fate = pickShare<Fate>(seed, path, rates.transactions)
    if (!fate) return
    counts[fate] += 1
    const atOnce = happens(seed, [...path, 'at once'], FATE_AT_ONCE)
    const after = atOnce ? 0 : between(seed, [...path, 'after'], 0, SLOTS_BEFORE_FATE * slotMillis)
    denials.add(signature, after, fate === 'rolledBack' ? Number.POSITIVE_INFINITY : VANISHED_SLOTS * slotMillis)
  }

  const server = await listen(serve)
  return {
    url: server.url,
    counts,
    rolledBack: denials.forEver,
    calm: () => void (rates = noFaults),
    stall: async (millis) => {
      counts.stalled += 1
      standstill = delay(millis)
      await standstill
    },
    hide: (signature, millis = Number.POSITIVE_INFINITY) => {
      decided.add(signature)
      counts[millis === Number.POSITIVE_INFINITY ? 'rolledBack' : 'vanished'] += 1
      denials.add(signature, 0, millis)
    },
    stop: async () => {
      await server.stop()
      upstream.stop()
    },
  }
}

/** The transactions that the chain denies, each from some moment to another. */
function createDenials() {
  const spans = new Map<string, { from: number; until: number }>()
  const forEver = new Set<string>()
  const isDenied = (signature: string): boolean => {
    const span = spans.get(signature)
    return span !== undefined && span.from <= Date.now() && Date.now() < span.until
  }
  return {
    forEver,
    isDenied,
    isForEver: (signature: string) => forEver.has(signature) && isDenied(signature),
    add: (signature: string, afterMillis: number, millis: number) => {
      const from = Date.now() + afterMillis
      spans.set(signature, { from, until: from + millis })
      if (millis === Number.POSITIVE_INFINITY) forEver.add(signature)
    },
  }
}

function createUpstream(target: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  async function send(call: RpcCall): Promise<Answer> {
    const request = httpRequest(target, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
    request.end(requestText(call))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 502, text: await textOf(response) }
  }
  return {
    send,
    slot: async () => Number(resultIn((await send({ id: 1, method: 'getSlot', params: [{ commitment: 'processed' }] })).text) ?? 0),
    stop: () => agent.destroy(),
  }
}

async function listen(serve: (call: RpcCall, response: ServerResponse) => Promise<void>) {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const handle = async () => {
      const call = readCall(await textOf(request))
      if (call) await serve(call, response)
      else response.writeHead(400).end()
    }
    handle().catch(() => response.socket?.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function ok(text: string): Answer {
  return { status: 200, text }
}

function send(response: ServerResponse, { status, text }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
