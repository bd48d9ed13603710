import { connect, type Socket } from 'node:net'

/** What one run of requests showed. Times in milliseconds, ascending. */
export interface LoadResult {
  perSecond: number
  millis: number[]
}

export interface Request {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
}

export interface LoadPlan {
  port: number
  connections: number
  /** Ends after so many requests, or after so many seconds. */
  requests?: number
  seconds?: number
  /** Gives what to ask next. */
  next: (index: number) => Request
  /** Told every reply's body where it is wanted. */
  onReply?: (body: string, index: number) => void
}

/**
 * Asks over keep-alive connections, each as soon as it was answered: no slower than the server, and light, since it shares the
 * machine with it. Every connection comes from its own loopback address, so that the server's limits per address stay in force.
 * Fails at the first reply that is not a success.
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const millis: number[] = []
  const started = performance.now()
  const deadline = started + (plan.seconds ?? Infinity) * 1000
  let asked = 0
  const take = () => (performance.now() < deadline && asked < (plan.requests ?? Infinity) ? asked++ : undefined)
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
    await askInTurn(socket, plan, take, millis)
  } finally {
    socket.destroy()
  }
}

function askInTurn(socket: Socket, plan: LoadPlan, take: () => number | undefined, millis: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let index: number | undefined
    let askedAt = 0
    const reply = new ReplyReader()
    const ask = () => {
      index = take()
      if (index === undefined) return resolve()
      const text = requestText(plan.next(index))
      askedAt = performance.now()
      socket.write(text)
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: Buffer) => {
      if (!reply.add(chunk)) return
      millis.push(performance.now() - askedAt)
      if (!reply.succeeded()) return reject(new Error(`the server refused: ${reply.text()}`))
      if (index !== undefined) plan.onReply?.(reply.text(), index)
      reply.clear()
      ask()
    })
    ask()
  })
}

function requestText({ method, path, token, body }: Request): string {
  const json = body === undefined ? '' : JSON.stringify(body)
  const content = json && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${token ? `authorization: Bearer ${token}\r\n` : ''}${content}\r\n${json}`
}

/** Collects one reply at a time; every reply has a `content-length`, as all of the product's have. */
class ReplyReader {
  #chunks: Buffer[] = []
  #size = 0
  #wanted: number | undefined

  /** True once the reply is whole. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#wanted ??= this.#readLength()
    return this.#wanted !== undefined && this.#size >= this.#wanted
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
    this.#wanted = undefined
  }

  #readLength(): number | undefined {
    const head = (this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks))?.toString('latin1', 0, 4096) ?? ''
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1]
    return end + 4 + Number(length ?? 0)
  }
}
