import { onTestFinished } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { type DatabaseConnection } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { readConfig } from '../../src/config.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { migrationsFolder } from '../support/migrations-folder.ts'
import { silent } from './test-server.ts'

export const studioApiKey = 'studio-key-of-this-test'

/** What a market's servers share. */
interface Market {
  connection: DatabaseConnection
  chain: SolanaChain
}

/** A whole server of a market, which has not been started. `settings` are as the environment has them. */
export function createMarketApp({ connection, chain }: Market, settings: Record<string, string> = {}) {
  return createApp({
    config: { ...readConfig(settings), port: 0 },
    catalogue: defaultCatalogue,
    jwtSecret: 'j'.repeat(32),
    studioApiKey,
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: silent,
    failures: createFailureLog(silent),
    version: '1.2.3',
    webFolder: '/nowhere',
    migrationsFolder,
  })
}

/** A whole server of a market, which ends with the test. @returns its origin */
export async function serveMarket(market: Market, settings?: Record<string, string>): Promise<string> {
  const app = await createMarketApp(market, settings)
  await app.start()
  onTestFinished(() => app.stop())
  return app.fastify.listeningOrigin
}
