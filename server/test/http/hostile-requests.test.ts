import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { createApp } from '../../src/app.ts'
import { createRelay } from '../../src/chain/relay/relay.ts'
import { readConfig } from '../../src/settings/config.ts'
import { expectAllAddsUp, list, openTradingWorld, type TradingWorld, type Wallet } from '../purchases/trading-world.ts'
import { checkAgainstDocument, type SeenReply } from './documented.ts'
import { type HostileRequest, hostileRequests, operationsOf } from './hostile-requests.ts'

const STUDIO_KEY = 'studio-key-of-this-test'
const RUNS = 25
const migrationsFolder = new URL('../../migrations', import.meta.url).pathname

let world: TradingWorld
let origin: string
let stop: () => Promise<void>

beforeAll(async () => {
  world = await openTradingWorld()
  const { connection, chain, deps } = world
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0, trustProxy: ['loopback'] },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: STUDIO_KEY,
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  origin = app.fastify.listeningOrigin
  stop = () => app.stop()
})

afterAll(async () => {
  await stop()
  await expectAllAddsUp(world)
  await world.close()
})

it('a stranger gets no reply that the API document does not describe, and nothing accepted that it does not allow', async () => {
  const wallets = await Promise.all(Array.from({ length: 4 }, () => world.createWallet()))
  const listings = await Promise.all(wallets.map((wallet) => list(world, wallet, { amount: 2 })))
  const sessions = await Promise.all(wallets.map(signIn))
  const known = [...wallets.map(({ address }) => address), ...listings]
  const problemsOf = await checkAgainstDocument(origin)
  const document = await (await fetch(`${origin}/api/openapi.json`)).json()

  for (const operation of operationsOf(document)) {
    // It would end the sessions that the others need.
    if (operation.name === 'logout') continue
    const credentials = operation.scheme === 'studioKey' ? [STUDIO_KEY] : sessions
    const property = fc.asyncProperty(hostileRequests(document, operation, known, credentials), async (hostile) => {
      const reply = await send(hostile)
      expect(problemsOf(hostile.method, hostile.url, reply)).toEqual([])
      expect(reply.status).not.toBe(500)
      if (!hostile.isDocumented) expect(reply.status).toBeGreaterThanOrEqual(400)
    })
    await fc.assert(property, { numRuns: RUNS })
  }
})

/** Sends a request exactly as it is; `fetch` would correct its path and headers. */
async function send({ method, url, headers, body }: HostileRequest): Promise<SeenReply> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request(origin, { method, path: url, headers, agent: false }, resolve).on('error', reject).end(body)
  })
  const seen = {
    status: reply.statusCode ?? 0,
    headers: new Headers(Object.entries(reply.headers).map(([name, value]) => [name, String(value)])),
  }
  if (!String(reply.headers['content-type']).startsWith('text/event-stream')) return { ...seen, text: await text(reply) }
  reply.destroy()
  return { ...seen, text: '' }
}

async function signIn({ address: walletAddress, signer }: Wallet): Promise<string> {
  const { message } = await post('/api/auth/nonce', { walletAddress })
  const signature = base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message)))
  return (await post('/api/auth/verify', { walletAddress, signature })).token
}

async function post(path: string, payload: object): Promise<ReturnType<typeof JSON.parse>> {
  const body = JSON.stringify(payload)
  return (await fetch(`${origin}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
}
