import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

import { hasErrorCode } from './error-code.ts'

/** Systems hand out ports from 32768 on to outgoing connections, so one of those may be taken at any later moment. */
const PORTS = { from: 20_000, to: 32_768 }
const TRIES = 50

/** A port of 127.0.0.1 on which nobody listens: the preferred one where it is free. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${TRIES} ports tried on 127.0.0.1 is free`)
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((done, fail) => {
    probe.once('error', (error) => (hasErrorCode(error, 'EADDRINUSE', 'EACCES') ? done(false) : fail(error)))
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => done(true)))
  })
}
