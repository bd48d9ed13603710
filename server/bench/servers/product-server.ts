import { pino } from 'pino'

import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createStubChain } from './stub-chain.ts'

export const JWT_SECRET = 'bench-secret-bench-secret-bench-secret'

/** Starts the whole server on a free port, with a stub for the chain port. @returns the port it listens on */
export async function startProduct(databaseUrl: string): Promise<number> {
  const log = pino({ level: 'error' })
  const connection = connectDatabase(databaseUrl, () => undefined)
  const app = await createApp({
    config: { ...readConfig({}), port: 0 },
    jwtSecret: JWT_SECRET,
    studioApiKey: 'bench-studio-key-bench',
    connection,
    chain: createStubChain(connection.pool),
    relay: () => Promise.reject(new Error('the bench has no relay')),
    log,
    version: 'bench',
    webFolder: '/nowhere',
    migrationsFolder: new URL('../../migrations', import.meta.url).pathname,
  })
  await app.start()
  return Number(new URL(app.fastify.listeningOrigin).port)
}
