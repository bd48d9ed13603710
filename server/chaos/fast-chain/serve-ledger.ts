import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

import { readCall, resultText } from '../chain-faults/rpc-messages.ts'
import { type Ledger } from './ledger.ts'
import { answerCall, RpcError } from './rpc.ts'

/** Answers JSON-RPC calls about a ledger on a port of this machine; 0 is a free one. Resolves once it listens. */
export async function serveLedger(ledger: Ledger, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const body = answerText(ledger, await text(request))
      response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' }).end(body)
    }
    answer().catch(() => response.destroy())
  }).listen({ host: '127.0.0.1', port })
  await once(server, 'listening')
  return server
}

function answerText(ledger: Ledger, request: string): string | undefined {
  const call = readCall(request)
  if (!call) return undefined
  try {
    return resultText(call, answerCall(ledger, call.method, call.params))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, message, data } = error
    return JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code, message, data } })
  }
}
