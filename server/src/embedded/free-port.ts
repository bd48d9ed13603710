import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Whether a caught value is a system error with one of these codes, like `ENOENT`. */
export function hasErrorCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
}

/** Systems assign ports from 32768 on to outgoing connections, so such a port can be taken at any moment. */
const PORTS = { from: 20_000, to: 32_768 }
const TRIES = 50

/** A free port of 127.0.0.1: the preferred one if it is free. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (await isFree(port)) return port
  }
  throw new Error(`${TRIES} ports were tried on 127.0.0.1 and none is free`)
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((done, fail) => {
    probe.once('error', (error) => (hasErrorCode(error, 'EADDRINUSE', 'EACCES') ? done(false) : fail(error)))
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => done(true)))
  })
}
