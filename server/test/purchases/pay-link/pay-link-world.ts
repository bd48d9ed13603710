import { createApp } from '../../../src/app.ts'
import { createRelay } from '../../../src/chain/relay/relay.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { type TradingWorld } from '../trading-world.ts'

export const PUBLIC_ORIGIN = 'https://market.example'

const migrationsFolder = new URL('../../../migrations', import.meta.url).pathname

export interface Server {
  origin: string
  stop(): Promise<void>
}

/** A whole server of a trading world, which reconciles by itself. */
export async function startServer(world: TradingWorld, settings: Record<string, string> = {}): Promise<Server> {
  const { connection, chain, deps } = world
  const app = await createApp({
    config: { ...readConfig({ PUBLIC_ORIGIN, ...settings }), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 'studio-key-of-this-test',
    connection,
    chain,
    catalogue: deps.catalogue,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  const address = app.fastify.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  return { origin: `http://localhost:${address.port}`, stop: () => app.stop() }
}

export interface MadeLink {
  id: string
  url: string
}

/** Makes a payment link as a page without a session does. */
export async function makeLink({ origin }: Server, listingId: string): Promise<MadeLink> {
  const reply = await fetch(`${origin}/api/marketplace/listings/${listingId}/pay-link`, { method: 'POST' })
  if (reply.status !== 201) throw new Error(`no link: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as MadeLink
}

export async function stateOf({ origin }: Server, { id }: MadeLink): Promise<string> {
  const reply = await fetch(`${origin}/api/marketplace/pay-links/${id}`)
  const { state } = (await reply.json()) as { state: string }
  return state
}
