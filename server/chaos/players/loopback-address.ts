import { once } from 'node:events'
import { createServer } from 'node:net'

/** The n-th address from which a client can call, so that rate limits per address count each client by itself. */
export function loopbackAddress(n: number): string {
  return `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`
}

/** Whether this machine has an address: Linux has all of 127.0.0.0/8, macOS has one address of it. */
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
