import { once } from 'node:events'
import { createServer } from 'node:net'

/** The n-th address of this machine's own network from which a client can call, so that each client counts by itself. */
export function loopbackAddress(n: number): string {
  return `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`
}

/** Linux has the whole network 127.0.0.0/8 for itself, macOS just one address of it. */
export async function canCallFrom(address: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ host: address, port: 0 })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
