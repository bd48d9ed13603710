import { type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickOne, pickWeighted } from '../seeded-random.ts'
import { type CallFault, countNoFaults, type FaultCounts, type FaultRates, noFaults, type TransactionFault } from './faults.ts'
import { createHiddenTransactions } from './hidden-transactions.ts'
import { type Lie, lieAbout } from './lies.ts'
import { createUpstream, listenForCalls, type RpcAnswer, sendAnswer } from './rpc-http.ts'
import {
  askedSignatures,
  behindText,
  hideFrom,
  minContextSlot,
  newlyConfirmed,
  resultIn,
  resultText,
  type RpcCall,
  sentSignature,
  setBack,
  withoutMinContextSlot,
} from './rpc-messages.ts'
import { type ChainKind } from '../stack/chain-process.ts'
import { createSentMessages } from './sent-messages.ts'

export interface FaultProxyOptions {
  /** The RPC URL of the chain behind the proxy. */
  target: string
  seed: number
  rates: FaultRates
  /** The chain's slot time: how far behind a stale node is, and how long a transaction may vanish, are counted in slots. */
  slotMillis: number
  chain?: ChainKind
  /** Kills a server. */
  kill?: (server: number) => void
}

export interface FaultProxy {
  url: string
  /** Both endpoints for one server, which is told apart by them: the one above, and one that may lie. Half of the servers prefer that one. */
  urlsFor(server: number): string
  /** What the other endpoint lies about from now on; undefined for nothing. */
  lie(about: Lie | undefined): void
  /** How often each fault has been injected. */
  counts: FaultCounts
  /** How often each method has been called. */
  calls: ReadonlyMap<string, number>
  /** Transactions that landed on the chain behind the proxy and are hidden for ever. */
  rolledBack: ReadonlySet<string>
  /** Stops injecting faults at random. What was rolled back stays so. */
  calm(): void
  /** Answers no call for this long. */
  stall(millis: number): Promise<void>
  /** Hides this transaction for this long; for ever if no time is given. */
  hide(signature: string, millis?: number): void
  /** Sends a message under another signature of its payer than it gets. */
  sendInstead(signature: string, other: string): void
  stop(): Promise<void>
}

/** Methods that a stale RPC node answers differently. */
const staleMethods = new Set(['getSlot', 'getBlockHeight', 'getSignatureStatuses', 'getSignaturesForAddress'])
/** More than the margin after which the product releases a listing. */
const STALE_SLOTS = 40
/** Less than the 31 after which a transaction is final: an honest chain can drop it only until then. */
const VANISHED_SLOTS = 20
/** Most transactions show as confirmed for up to this long before their fault begins, so some purchases settle by then. */
const MAX_SLOTS_BEFORE_FAULT = 6
const FAULT_AT_ONCE = 0.3
const DELAY_MILLIS = { low: 50, high: 1_500 }
const RETRY_AFTER_SECONDS = 1
const FAILURES = [500, 502, 503]

/**
 * An HTTP proxy in front of a chain's JSON-RPC that makes it fail as public endpoints do. What happens to the n-th call of a
 * method, and to the n-th transaction seen confirmed, depends on the seed alone.
 */
export async function startFaultProxy({
  target,
  seed,
  rates: givenRates,
  slotMillis,
  chain = 'local',
  kill,
}: FaultProxyOptions): Promise<FaultProxy> {
  let rates = givenRates
  let stalled: Promise<unknown> = Promise.resolve()
  let lie: Lie | undefined
  const counts = countNoFaults()
  const calls = new Map<string, number>()
  const hidden = createHiddenTransactions()
  const sent = createSentMessages({ tellsApart: chain === 'fast' })
  const upstream = createUpstream(target)

  async function serve(call: RpcCall, response: ServerResponse, caller: string, isLiar: boolean): Promise<void> {
    const count = (calls.get(call.method) ?? 0) + 1
    calls.set(call.method, count)
    await stalled
    const path = ['call', call.method, count]
    const picked = pickWeighted<CallFault>(seed, path, rates.methods?.[call.method] ?? rates.calls)
    const fault = picked === 'stale' && !staleMethods.has(call.method) ? undefined : picked
    if (fault) counts[fault] += 1
    if (fault === 'callerKilledAfter') await answer(call)
    if (fault === 'callerKilled' || fault === 'callerKilledAfter') return endCaller(caller, response)
    if (isLiar && lie) return sendAnswer(response, await lyingAnswer(lie, call))
    await respond(fault, call, path, response)
  }

  async function lyingAnswer(about: Lie, call: RpcCall): Promise<RpcAnswer> {
    if (about === 'broadcasting' && call.method === 'simulateTransaction') {
      await answer({ ...call, method: 'sendTransaction', params: [call.params[0], { encoding: 'base64', skipPreflight: true }] })
    }
    const reply = await answer(call)
    const result = resultIn(reply.text)
    return result === undefined ? reply : ok(resultText(call, lieAbout(about, call, result)))
  }

  function endCaller(caller: string, response: ServerResponse): void {
    kill?.(Number(caller.slice(1)))
    response.socket?.destroy()
  }

  async function respond(
    fault: Exclude<CallFault, 'callerKilled' | 'callerKilledAfter'> | undefined,
    call: RpcCall,
    path: Path,
    response: ServerResponse,
  ): Promise<void> {
    switch (fault) {
      case 'dropped':
        response.socket?.destroy()
        return
      case 'rateLimited':
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
        return sendAnswer(response, await answer(call))
      case 'stale':
        return sendAnswer(response, await staleAnswer(call))
      case undefined:
        return sendAnswer(response, await answer(call))
    }
  }

  /** The chain's answer without the transactions that are hidden now. */
  async function answer(call: RpcCall): Promise<RpcAnswer> {
    switch (call.method) {
      case 'sendTransaction': {
        const signature = sentSignature(call)
        if (signature === undefined) return upstream.forward(call)
        const transaction = hidden.isPermanent(signature) ? undefined : sent.handOn(String(call.params[0]))
        if (transaction === undefined) return ok(resultText(call, signature))
        const reply = await upstream.forward({ ...call, params: [transaction, ...call.params.slice(1)] })
        return resultIn(reply.text) === undefined ? reply : ok(resultText(call, signature))
      }
      case 'getTransaction':
        return askedSignatures(call).some(hidden.isHidden) ? ok(resultText(call, null)) : upstream.forward(call)
      case 'getSignatureStatuses':
      case 'getSignaturesForAddress': {
        // Surfpool filters by minContextSlot. A conforming RPC node only refuses the call if it has not reached that slot.
        const reply = await upstream.forward(withoutMinContextSlot(call))
        const result = resultIn(reply.text)
        if (result === undefined) return reply
        if (call.method === 'getSignatureStatuses') newlyConfirmed(call, result).forEach(drawTransactionFault)
        return ok(resultText(call, hideFrom(call, result, hidden.isHidden)))
      }
      default:
        return upstream.forward(call)
    }
  }

  /** The answer of an RPC node that is some slots behind. */
  async function staleAnswer(call: RpcCall): Promise<RpcAnswer> {
    const newest = Math.max(0, (await upstream.slot()) - STALE_SLOTS)
    if ((minContextSlot(call) ?? 0) > newest) return ok(behindText(call, newest))
    const reply = await answer(call)
    const result = resultIn(reply.text)
    if (result === undefined) return reply
    const known = hideFrom(call, result, (_, slot) => slot !== undefined && slot > newest)
    return ok(resultText(call, setBack(known, STALE_SLOTS)))
  }

  const drawn = new Set<string>()
  function drawTransactionFault(signature: string): void {
    if (drawn.has(signature)) return
    drawn.add(signature)
    const path = ['transaction', drawn.size]
    const fault = pickWeighted<TransactionFault>(seed, path, rates.transactions)
    if (!fault) return
    counts[fault] += 1
    const atOnce = happens(seed, [...path, 'at once'], FAULT_AT_ONCE)
    const afterMillis = atOnce ? 0 : between(seed, [...path, 'after'], 0, MAX_SLOTS_BEFORE_FAULT * slotMillis)
    hidden.hide(signature, { afterMillis, millis: fault === 'rolledBack' ? Number.POSITIVE_INFINITY : VANISHED_SLOTS * slotMillis })
  }

  const server = await listenForCalls((call, response, path) => serve(call, response, path, false))
  const liar = await listenForCalls((call, response, path) => serve(call, response, path, true))
  return {
    url: server.url,
    urlsFor: (number) => (number % 2 === 0 ? [server, liar] : [liar, server]).map(({ url }) => `${url}/${number}`).join(','),
    lie: (about) => void (lie = about),
    counts,
    calls,
    rolledBack: hidden.permanent,
    calm: () => void (rates = noFaults),
    stall: async (millis) => {
      counts.stalled += 1
      stalled = delay(millis)
      await stalled
    },
    hide: (signature, millis = Number.POSITIVE_INFINITY) => {
      drawn.add(signature)
      counts[millis === Number.POSITIVE_INFINITY ? 'rolledBack' : 'vanished'] += 1
      hidden.hide(signature, { afterMillis: 0, millis })
    },
    sendInstead: sent.sendInstead,
    stop: async () => {
      await Promise.all([server.stop(), liar.stop()])
    },
  }
}

function ok(text: string): RpcAnswer {
  return { status: 200, text }
}
