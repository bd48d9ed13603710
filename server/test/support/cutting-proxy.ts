import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  /** The database's URL through the proxy. */
  url: string
  /**
   * Cuts the connection whose answer is the n-th from now on: PostgreSQL has carried the statement out, and nobody hears of it.
   * @returns a function that calls it off and tells whether a connection was cut
   */
  cutAfter(answers: number): () => boolean
  stop(): Promise<void>
}

/** A proxy in front of PostgreSQL that can lose its answers. */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let answersLeft = Infinity
  let cut = false

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const countAnswers = createAnswerCounter()
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
    }
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes: Buffer) => {
      answersLeft -= countAnswers(bytes)
      if (answersLeft > 0) return near.write(bytes)
      answersLeft = Infinity
      cut = true
      return near.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutAfter: (answers) => {
      answersLeft = answers
      cut = false
      return () => {
        answersLeft = Infinity
        return cut
      }
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** A message's type and length. */
const HEADER_BYTES = 5

/** Counts the statements that are answered in the bytes of one connection: each ends in ReadyForQuery, as does the connection's start. */
function createAnswerCounter(): (bytes: Buffer) => number {
  let rest = Buffer.alloc(0)
  let started = false
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    let answers = 0
    while (rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === READY_FOR_QUERY && started) answers += 1
      if (rest[0] === READY_FOR_QUERY) started = true
      rest = rest.subarray(rest.readInt32BE(1) + 1)
    }
    return answers
  }
}
