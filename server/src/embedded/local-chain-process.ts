import { createServer, connect } from 'node:net'
import { createRequire } from 'node:module'
import { pipeline } from 'node:stream'
import { surfpoolPackage } from './surfpool-package.ts'

/**
 * The child process: a Solana runtime behind a TCP proxy on the port given by the parent, since the runtime picks its own port at
 * every start. It ends with its parent.
 */

interface Surfnet {
  rpcUrl: string
  /** The events since the last call. The runtime keeps them in memory until they are read. */
  drainEvents(): unknown[]
}

interface Surfpool {
  Surfnet: {
    startWithConfig(config: { offline: boolean; blockProductionMode: 'clock'; slotTimeMs: number }): Surfnet
  }
}

const DRAIN_MILLIS = 500
const MAX_CONNECTIONS = 1_000

const [port, slotMillis] = process.argv.slice(2).map(Number)

process.on('disconnect', () => process.exit(0))
const surfnet = loadSurfpool().Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs: slotMillis ?? 400 })
setInterval(() => surfnet.drainEvents(), DRAIN_MILLIS)
proxyTo(Number(new URL(surfnet.rpcUrl).port))

function loadSurfpool(): Surfpool {
  const loaded: unknown = createRequire(import.meta.url)(surfpoolPackage())
  if (!isSurfpool(loaded)) throw new Error('the package of the embedded Solana runtime has an unexpected interface')
  return loaded
}

function isSurfpool(value: unknown): value is Surfpool {
  return typeof value === 'object' && value !== null && 'Surfnet' in value && typeof value.Surfnet === 'function'
}

function proxyTo(target: number): void {
  const server = createServer((client) => {
    const runtime = connect({ host: '127.0.0.1', port: target })
    pipeline(client, runtime, client, () => undefined)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen({ host: '127.0.0.1', port }, () => process.send?.('ready'))
}
