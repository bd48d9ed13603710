import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface RpcCall {
  id: unknown
  method: string
  params: unknown[]
}

export type Answer = (call: RpcCall, response: ServerResponse) => unknown

export interface FrontServer {
  url: string
  port: number
  /** The methods that were called, in order. */
  calls: string[]
  /** Answers from now on. What it returns is the JSON-RPC reply; undefined means that it has replied itself. */
  behave(answer: Answer): void
  /** Answers these methods otherwise from now on, and all others as at the start. */
  override(answers: Record<string, Answer>): void
  /** Drops every open connection. */
  drop(): void
  stop(): Promise<void>
}

/** An HTTP server in front of a chain. It passes every call on until a test makes it misbehave. */
export async function startFrontServer(behaviour: Answer, port = 0): Promise<FrontServer> {
  let answer = behaviour
  const calls: string[] = []
  const server = createServer((request, response) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = parseCall(await text(request))
    calls.push(call.method)
    const reply = await answer(call, response)
    if (reply === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(reply))
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${actualPort}`,
    port: actualPort,
    calls,
    behave: (next) => void (answer = next),
    override: (answers) => void (answer = (call, response) => (answers[call.method] ?? behaviour)(call, response)),
    drop: () => server.closeAllConnections(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Passes each call on to a real chain. */
export function handOnTo(url: string): Answer {
  return async (call) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...call }) })
    return await reply.json()
  }
}

export const hang: Answer = () => undefined

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, headers).end('no')
  }
}

export function result(value: unknown): Answer {
  return (call) => ({ jsonrpc: '2.0', id: call.id, result: value })
}

function parseCall(text: string): RpcCall {
  const call: unknown = JSON.parse(text)
  if (typeof call !== 'object' || call === null || !('method' in call) || typeof call.method !== 'string')
    throw new Error('no JSON-RPC call')
  return {
    id: 'id' in call ? call.id : null,
    method: call.method,
    params: 'params' in call && Array.isArray(call.params) ? call.params : [],
  }
}
