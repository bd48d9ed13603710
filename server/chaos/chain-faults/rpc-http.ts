import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

import { postJson } from '../post-json.ts'
import { readCall, requestText, resultIn, type RpcCall } from './rpc-messages.ts'

export interface RpcAnswer {
  status: number
  text: string
}

/** Forwards calls to the RPC URL of the chain behind the proxy. */
export function createUpstream(url: string) {
  const forward = (call: RpcCall): Promise<RpcAnswer> => postJson(url, requestText(call))
  return {
    forward,
    slot: async () => Number(resultIn((await forward({ id: 1, method: 'getSlot', params: [{ commitment: 'processed' }] })).text) ?? 0),
  }
}

/** Serves JSON-RPC on a free port of 127.0.0.1. If `serve` rejects, the connection is dropped. */
export async function listenForCalls(serve: (call: RpcCall, response: ServerResponse, path: string) => Promise<void>) {
  const server = createServer((request, response) => {
    const handle = async () => {
      const call = readCall(await textOf(request))
      if (call) await serve(call, response, request.url ?? '/')
      else response.writeHead(400).end()
    }
    handle().catch(() => response.socket?.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export function sendAnswer(response: ServerResponse, { status, text }: RpcAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
