import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from '../../src/embedded/free-port.ts'

/** A TCP proxy in front of a database, for whatever can happen to a network. */
export interface TcpProxy {
  /** The URL of the database through the proxy. */
  url: string
  /** New connections go to the database of this URL from now on; those that exist stay where they are. */
  moveTo(databaseUrl: string): void
  /** From now on nothing passes on the connections that exist, and neither end learns of it. New ones work. */
  silence(): void
  /** Closes the database's ends of the silent connections, as its keepalives do after a while. Their clients do not learn of it. */
  endSilent(): void
  /** How many of the connections that were silenced the client has not given up yet. */
  silenced(): number
  /** Closes the connections that exist. */
  reset(): void
  /** Does so, and refuses new ones. */
  cut(): Promise<void>
  restore(): Promise<void>
}

/** Watches one connection. What it returns false for does not pass. */
interface Tap {
  sent(bytes: Buffer): boolean
  answered(): boolean
}

/** @param end closes both ends of the connection */
export type TapLine = (end: () => void) => Tap

interface Line {
  near: Socket
  far: Socket
  silent: boolean
}

export async function startTcpProxy(databaseUrl: string, tapLine?: TapLine): Promise<TcpProxy> {
  const lines = new Set<Line>()
  let target = new URL(databaseUrl)
  const proxy = createServer((near) => {
    const line = { near, far: connect(Number(target.port), target.hostname), silent: false }
    lines.add(line)
    const tap = tapLine?.(() => {
      near.destroy()
      line.far.destroy()
    })
    pass(line, near, line.far, (bytes) => tap?.sent(bytes) ?? true)
    pass(line, line.far, near, () => tap?.answered() ?? true)
    near.on('close', () => lines.delete(line))
  })
  // Not a port that the system hands out: while the proxy does not listen, an outgoing connection could get it.
  const port = await findFreePort()
  const listen = async () => {
    proxy.listen(port, '127.0.0.1')
    await once(proxy, 'listening')
  }
  await listen()
  const reset = () => {
    for (const { near, far } of lines) {
      near.destroy()
      far.destroy()
    }
  }
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    moveTo: (other) => void (target = new URL(other)),
    silence: () => {
      for (const line of lines) line.silent = true
    },
    endSilent: () => {
      for (const { far, silent } of lines) if (silent) far.destroy()
    },
    silenced: () => [...lines].filter(({ silent }) => silent).length,
    reset,
    cut: async () => {
      if (!proxy.listening) return
      const closed = once(proxy, 'close')
      proxy.close()
      reset()
      await closed
    },
    restore: listen,
  }
}

/** A silent line swallows what it gets, the end of a connection too. */
function pass(line: Line, from: Socket, to: Socket, lets: (bytes: Buffer) => boolean): void {
  from
    .on('data', (bytes: Buffer) => line.silent || !lets(bytes) || to.write(bytes))
    .on('error', () => line.silent || to.destroy())
    .on('close', () => line.silent || to.destroy())
}
