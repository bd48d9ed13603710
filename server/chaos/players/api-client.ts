import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: unknown
}

/** What a server answered: a success with its body, or a refusal with its code. */
export interface Answer {
  status: number
  body: Record<string, unknown>
  code: string | undefined
}

/** A client as a player's page is one: it has a token, and asks whichever server it reaches. */
export interface ApiClient {
  token: string | undefined
  /** Repeats the call while it is lost, limited or met by a fault of the server; undefined where that goes on for too long. */
  insist(call: Call): Promise<Answer | undefined>
  /** Sends the call and dies: nobody hears the answer. */
  sendAndDie(call: Call): Promise<void>
  /** Calls that were told to wait. */
  limited: number
  stop(): void
}

interface ApiClientOptions {
  /** The servers, of which the first one that answers is asked. */
  urls: readonly string[]
  /** The address from which it calls: limits count by address. */
  localAddress: string | undefined
  token?: string
  /** Within which a call is answered, or lost. */
  timeoutMillis?: number
}

const PATIENCE_MILLIS = 90_000
const TIMEOUT_MILLIS = 20_000
const PAUSE_MILLIS = { low: 100, high: 400 }
const LONGEST_DEATH_MILLIS = 20

/** A call that a server refuses in this way may succeed a moment later. */
function asksAgain({ status, code }: Answer): boolean {
  return status >= 500 || (status === 429 && code === 'TOO_MANY_REQUESTS')
}

export function createApiClient({ urls, localAddress, token, timeoutMillis = TIMEOUT_MILLIS }: ApiClientOptions): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ...(localAddress !== undefined && { localAddress }) })
  let next = Math.floor(Math.random() * urls.length)

  function begin({ method, path, body }: Call): ClientRequest {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      ...(client.token !== undefined && { authorization: `Bearer ${client.token}` }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
    }
    const url = `${urls[next % urls.length] ?? ''}${path}`
    const request = httpRequest(url, { method, agent, headers, signal: AbortSignal.timeout(timeoutMillis) })
    return request.end(text)
  }

  /** Undefined where the answer is lost: the call may have been done or not. */
  async function tryOnce(call: Call): Promise<{ answer: Answer; retryAfterMillis: number } | undefined> {
    try {
      const [response] = (await once(begin(call), 'response')) as [IncomingMessage]
      const body = parse(await text(response))
      const code = typeof body['code'] === 'string' ? body['code'] : undefined
      return {
        answer: { status: response.statusCode ?? 0, body, code },
        retryAfterMillis: Number(response.headers['retry-after'] ?? 0) * 1000,
      }
    } catch {
      return undefined
    }
  }

  const client: ApiClient = {
    token,
    limited: 0,
    insist: async (call) => {
      for (const deadline = Date.now() + PATIENCE_MILLIS; Date.now() < deadline;) {
        const outcome = await tryOnce(call)
        if (outcome && !asksAgain(outcome.answer)) return outcome.answer
        if (outcome?.answer.status === 429) client.limited += 1
        else next += 1
        const pause = PAUSE_MILLIS.low + Math.random() * (PAUSE_MILLIS.high - PAUSE_MILLIS.low)
        await delay(Math.max(pause, outcome?.retryAfterMillis ?? 0))
      }
      return undefined
    },
    sendAndDie: async (call) => {
      const request = begin(call)
      request.on('error', () => undefined)
      await delay(Math.random() * LONGEST_DEATH_MILLIS)
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
