import { connect, type Socket } from 'node:net'

import { type Sample } from './comparison.ts'

export interface Request {
  method: 'GET' | 'POST'
  path: string
  jwt?: string
  body?: unknown
}

export interface LoadPlan {
  port: number
  connections: number
  /** The run ends after this many requests or seconds. */
  requests?: number
  seconds?: number
  /** Returns the next request. */
  next: (index: number) => Request
  /** Called with the body of each reply. */
  onReply?: (index: number, body: string) => void
}

/**
 * Sends requests over keep-alive connections, on each the next one as soon as the last is answered. It is light, because it shares
 * the machine with the server. Every connection has its own loopback address, so that limits per address can stay in force.
 * @throws Error at the first reply that is not a success
 */
export async function runLoad(plan: LoadPlan): Promise<Sample> {
  const millis: number[] = []
  const started = performance.now()
  const deadline = started + (plan.seconds ?? Infinity) * 1000
  let sent = 0
  const take = () => (performance.now() < deadline && sent < (plan.requests ?? Infinity) ? sent++ : undefined)
  await Promise.all(Array.from({ length: plan.connections }, (_, index) => runConnection(plan, nextAddress(index), take, millis)))
  return { perSecond: millis.length / ((performance.now() - started) / 1000), millis: millis.sort((a, b) => a - b) }
}

let runs = 0

function nextAddress(index: number): string | undefined {
  if (index === 0) runs++
  return process.platform === 'linux' ? `127.${1 + Math.floor(runs / 250)}.${1 + (runs % 250)}.${1 + index}` : undefined
}

async function runConnection(
  plan: LoadPlan,
  localAddress: string | undefined,
  take: () => number | undefined,
  millis: number[],
): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true, ...(localAddress && { localAddress }) })
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    await sendInTurn(socket, plan, take, millis)
  } finally {
    socket.destroy()
  }
}

function sendInTurn(socket: Socket, plan: LoadPlan, take: () => number | undefined, millis: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let index: number | undefined
    let sentAt = 0
    const reply = new ReplyReader()
    const send = () => {
      index = take()
      if (index === undefined) return resolve()
      const text = requestText(plan.next(index))
      sentAt = performance.now()
      socket.write(text)
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: Buffer) => {
      if (!reply.add(chunk)) return
      millis.push(performance.now() - sentAt)
      if (!reply.succeeded()) return reject(new Error(`the server refused: ${reply.text()}`))
      if (index !== undefined) plan.onReply?.(index, reply.text())
      reply.clear()
      send()
    })
    send()
  })
}

function requestText({ method, path, jwt, body }: Request): string {
  const json = body === undefined ? '' : JSON.stringify(body)
  const content = json && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${jwt ? `authorization: Bearer ${jwt}\r\n` : ''}${content}\r\n${json}`
}

/** Collects one reply at a time. It relies on `content-length`, which all of the product's replies have. */
class ReplyReader {
  #chunks: Buffer[] = []
  #size = 0
  #length: number | undefined

  /** @returns true once the reply is complete */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#length ??= this.#readLength()
    return this.#length !== undefined && this.#size >= this.#length
  }

  succeeded(): boolean {
    return this.#chunks[0]?.toString('latin1', 9, 10) === '2'
  }

  text(): string {
    const all = Buffer.concat(this.#chunks)
    return all.toString('utf8', all.indexOf('\r\n\r\n') + 4)
  }

  clear(): void {
    this.#chunks = []
    this.#size = 0
    this.#length = undefined
  }

  #readLength(): number | undefined {
    const head = (this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks))?.toString('latin1', 0, 4096) ?? ''
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1]
    return end + 4 + Number(length ?? 0)
  }
}
