import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { tally } from '../tally.ts'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  idempotencyKey?: string
}

export interface Answer {
  status: number
  body: Record<string, unknown>
  /** The error code, if the call failed. */
  code: string | undefined
  /** When to ask again, if the server says so; else 0. */
  retryAfterMillis: number
}

/** Calls the product's API as a player's browser does, on whichever server answers. */
export interface ApiClient {
  /** The session JWT or the studio's API key. */
  bearer: string | undefined
  /** Repeats the call while it gets no answer, is rate-limited or hits a server error. @returns undefined if that lasts too long */
  callWithRetries(call: Call): Promise<Answer | undefined>
  /** Sends the call to every server at the same time, once. @returns the answers that came */
  callEverywhere(call: Call): Promise<Answer[]>
  /** Sends the call and drops the connection after a few milliseconds, as a crashing client does. */
  sendAndDisconnect(call: Call): Promise<void>
  /** How often calls were rate-limited. */
  rateLimited: number
  /** How often calls got no answer, or that of a server that cannot serve them, by reason. */
  failures: Map<string, number>
  /** The calls that were answered with 500. Only what nobody has foreseen is. */
  internalErrors: string[]
  stop(): void
}

interface ApiClientOptions {
  /** The servers to call. After a failed call the client tries the next one. */
  urls: () => readonly string[]
  /** The address to call from. Rate limits count by address. */
  localAddress: string | undefined
  bearer?: string
  timeoutMillis?: number
}

const RETRY_MILLIS = 90_000
const TIMEOUT_MILLIS = 20_000
const PAUSE_MILLIS = { low: 100, high: 400 }
const MAX_DISCONNECT_MILLIS = 20

const lost = { status: undefined, retryAfterMillis: 0 }

/** Whether the same call may succeed a moment later. A pause is the studio's answer, and no failure. */
function isTransient({ status, code }: Answer): boolean {
  return status === 408 || (status >= 500 && code !== 'PAUSED') || (status === 429 && code === 'TOO_MANY_REQUESTS')
}

export function createApiClient({ urls, localAddress, bearer, timeoutMillis = TIMEOUT_MILLIS }: ApiClientOptions): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ...(localAddress !== undefined && { localAddress }) })
  let next = Math.floor(Math.random() * urls().length)

  function send({ method, path, body, idempotencyKey }: Call, server = next): ClientRequest {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      ...(client.bearer !== undefined && { authorization: `Bearer ${client.bearer}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    const servers = urls()
    const url = `${servers[server % servers.length] ?? ''}${path}`
    const request = httpRequest(url, { method, agent, headers, signal: AbortSignal.timeout(timeoutMillis) })
    return request.end(json)
  }

  /** @returns why there is no answer, if it is lost; the server may have executed the call or not */
  async function callOnce(call: Call, server = next): Promise<Answer | string> {
    try {
      const [response] = (await once(send(call, server), 'response')) as [IncomingMessage]
      const body = parse(await text(response))
      const code = typeof body['code'] === 'string' ? body['code'] : undefined
      const retryAfterMillis = Number(response.headers['retry-after'] ?? 0) * 1000
      return { status: response.statusCode ?? 0, body, code, retryAfterMillis }
    } catch (error) {
      return error instanceof Error ? error.message.replaceAll(/ ?\d+\.\d+\.\d+\.\d+:\d+/g, '') : String(error)
    }
  }

  function note(call: Call, answer: Answer | string): void {
    if (typeof answer === 'string') return tally(client.failures, answer)
    const { status, code } = answer
    if (status === 429) client.rateLimited += 1
    else tally(client.failures, `${status} ${code}`)
    if (status === 500) client.internalErrors.push(`${call.method} ${call.path}: ${code}`)
  }

  const client: ApiClient = {
    bearer,
    rateLimited: 0,
    failures: new Map(),
    internalErrors: [],
    callWithRetries: async (call) => {
      for (const deadline = Date.now() + RETRY_MILLIS; Date.now() < deadline;) {
        const answer = await callOnce(call)
        if (typeof answer !== 'string' && !isTransient(answer)) return answer
        note(call, answer)
        const { status, retryAfterMillis } = typeof answer === 'string' ? lost : answer
        if (status !== 429) next += 1
        const pause = PAUSE_MILLIS.low + Math.random() * (PAUSE_MILLIS.high - PAUSE_MILLIS.low)
        await delay(Math.max(pause, retryAfterMillis))
      }
      return undefined
    },
    callEverywhere: async (call) => {
      const answers = await Promise.all(urls().map((_, index) => callOnce(call, index)))
      for (const answer of answers) if (typeof answer === 'string' || isTransient(answer)) note(call, answer)
      return answers.filter((answer) => typeof answer !== 'string')
    },
    sendAndDisconnect: async (call) => {
      const request = send(call)
      request.on('error', () => undefined)
      await delay(Math.random() * MAX_DISCONNECT_MILLIS)
      request.destroy()
    },
    stop: () => agent.destroy(),
  }
  return client
}

function parse(body: string): Record<string, unknown> {
  if (body === '') return {}
  const value: unknown = JSON.parse(body)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
