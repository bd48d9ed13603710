import { pino } from 'pino'
import { onTestFinished } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { createApp } from '../../src/app.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { createRelay } from '../../src/chain/relay/relay.ts'
import { readConfig } from '../../src/settings/config.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/logging/failure-log.ts'

/** The document of a whole server, which has neither a database nor a chain. */
export async function readApiDocument(catalogue: Catalogue = defaultCatalogue) {
  const log = pino({ level: 'silent' })
  const connection = connectDatabase('postgresql://nobody@127.0.0.1:9/none', () => undefined)
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log })
  const keys = { jwtSecret: 'j'.repeat(32), studioApiKey: 's'.repeat(32) }
  const relay = createRelay(chain.pool, { demo: false })
  const folders = { catalogue, webFolder: '/nowhere', migrationsFolder: '/nowhere' }
  const failures = createFailureLog(log)
  const app = await createApp({ config: readConfig({}), ...keys, connection, chain, relay, log, failures, version: '1.2.3', ...folders })
  onTestFinished(async () => {
    await app.stop()
    await chain.stop()
    await connection.close()
  })
  return (await app.fastify.inject('/api/openapi.json')).json()
}
