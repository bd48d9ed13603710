import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

import { readCall, resultText } from '../chain-faults/rpc-messages.ts'
import { Ledger } from './ledger.ts'
import { answerCall, RpcError } from './rpc.ts'

/** The child process: a chain whose slots take as long as the parent says, on the port that it gives. It ends with its parent. */

const FIRST_SLOT = 100_000

const [port, slotMillis] = process.argv.slice(2).map(Number)
const ledger = new Ledger(FIRST_SLOT)

process.on('disconnect', () => process.exit(0))
setInterval(() => ledger.nextSlot(), slotMillis)
createServer((request, response) => {
  const answer = async () => {
    const body = answerText(await text(request))
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' }).end(body)
  }
  answer().catch(() => response.destroy())
}).listen({ host: '127.0.0.1', port }, () => process.send?.('ready'))

function answerText(request: string): string | undefined {
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
