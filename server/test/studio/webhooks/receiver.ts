import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, type Socket } from 'node:net'

import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'

export interface Received {
  id: string
  headers: IncomingHttpHeaders
  text: string
  body: { type: string; timestamp: string; data: Record<string, unknown> }
}

export type Answer = (response: ServerResponse, received: Received) => unknown

const accept: Answer = (response) => response.writeHead(204).end()

/** A real HTTP server that notes every message. It accepts them unless it is told otherwise, and is closed when the test is over. */
export async function startReceiver(firstAnswer: Answer = accept) {
  let answer = firstAnswer
  let server: Server | undefined
  const received: Received[] = []
  const accepted: string[] = []
  const sockets = new Set<Socket>()

  const listen = async (port: number) => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const message = { id: String(request.headers['webhook-id']), headers: request.headers, text, body: JSON.parse(text) }
        received.push(message)
        response.on('finish', () => void (response.statusCode < 300 && accepted.push(message.id)))
        answer(response, message)
      })
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const stop = async () => {
    const stopping = server
    server = undefined
    if (!stopping) return
    const closed = once(stopping, 'close')
    stopping.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  onTestFinished(stop)
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    /** Every request, repeated ones included. */
    received,
    /** The ids of those that were answered with success, in order. */
    accepted,
    /** Each message once, by its id, in the order in which it first came. */
    messages: () => [...new Map(received.map((message) => [message.id, message])).values()],
    answerWith: (next: Answer) => void (answer = next),
    accept: () => void (answer = accept),
    stop,
    startAgain: () => listen(port),
  }
}

/** Verifies a message as the specification's own package does. Throws if it does not fit the secret. */
export function verifyMessage(secret: string, { text, headers }: Received): unknown {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  return new Webhook(secret).verify(text, {
    'webhook-id': String(id),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': String(signature),
  })
}
