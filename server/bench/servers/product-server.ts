import { pino } from 'pino'
import { catalogue } from '../databases/catalogue.ts'
import { createApp } from '../../src/app/app.ts'
import { type Chain, type Relay } from '../../src/chain/chain.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { readConfig } from '../../src/config.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { type ChainSettings, type Role } from './role.ts'
import { createStubChain } from './stub-chain.ts'

export const JWT_SECRET = 'bench-secret-bench-secret-bench-secret'
export const STUDIO_KEY = 'bench-studio-key-bench'

const MAX_NETWORK_HOLDS = 1_000_000

const log = pino({ level: 'error' })

/** Starts the whole server on a free port, with a stub for the chain port if no chain is given. @returns the port it listens on */
export async function startProduct({
  databaseUrl,
  chain: chainSettings,
  metricsPort,
}: Extract<Role, { role: 'product' }>): Promise<number> {
  const connection = connectDatabase(databaseUrl, () => undefined)
  const app = await createApp({
    config: {
      ...readConfig({}),
      port: 0,
      trustProxy: ['loopback'],
      // All buyers of the bench are new, and come from a few networks.
      networkHolds: MAX_NETWORK_HOLDS,
      ...(chainSettings && { holdSeconds: chainSettings.holdSeconds }),
      ...(metricsPort !== undefined && { metrics: { host: '127.0.0.1', port: metricsPort } }),
    },
    jwtSecret: JWT_SECRET,
    studioApiKey: STUDIO_KEY,
    connection,
    catalogue,
    ...(chainSettings ? await openChain(chainSettings) : stubChain(connection)),
    log,
    failures: createFailureLog(log),
    version: 'bench',
    webFolder: '/nowhere',
    migrationsFolder: new URL('../../migrations', import.meta.url).pathname,
  })
  await app.start()
  return Number(new URL(app.fastify.listeningOrigin).port)
}

interface ChainParts {
  chain: Chain
  relay: Relay
}

function stubChain({ pool }: DatabaseConnection): ChainParts {
  return { chain: createStubChain(pool.pg), relay: () => Promise.reject(new Error('the stub has no relay')) }
}

async function openChain({ endpoints, requestsPerSecond }: ChainSettings): Promise<ChainParts> {
  const chain = createChain({ endpoints, requestsPerSecond, log })
  await chain.start()
  return { chain, relay: createRelay(chain.pool, { demo: false }) }
}
