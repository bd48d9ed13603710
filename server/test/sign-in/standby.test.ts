import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from '../database/primary-and-standby.ts'
import { askNonce, serveSignIn, verify } from './sign-in-server.ts'
import { createWallet } from './wallet.ts'

let servers: PrimaryAndStandby
let connection: DatabaseConnection

beforeAll(async () => {
  servers = await startPrimaryAndStandby()
  connection = connectDatabase(servers.standby.url, () => undefined)
})

afterAll(async () => {
  await connection.close()
  await servers.stop()
})

describe('a server whose database takes no writes', () => {
  it('answers a sign-in as any call during an outage', async () => {
    const server = await serveSignIn(connection.database)
    const wallet = createWallet()
    const replies = [await askNonce(server, wallet.address), await verify(server, wallet.address, wallet.sign('anything'))]
    expect(replies.map((reply) => [reply.statusCode, reply.json().code])).toEqual([
      [503, 'DATABASE_DOWN'],
      [503, 'DATABASE_DOWN'],
    ])
  })
})
