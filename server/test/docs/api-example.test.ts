import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

import { expect, it, onTestFinished } from 'vitest'

import { createApp } from '../../src/app.ts'
import { createRelay } from '../../src/chain/relay/relay.ts'
import { readConfig } from '../../src/config.ts'
import { expectAllAddsUp, list, openTradingWorld, type TradingWorld } from '../purchases/trading-world.ts'
import { readText, root } from './repository.ts'

const MIGRATIONS = `${root}/server/migrations`

it('the client in docs/api.md buys a drink without a change', async () => {
  const world = await openTradingWorld()
  onTestFinished(() => world.close())
  await list(world, await world.createWallet(), { amount: 7, price: 50_000_000n })
  const origin = await serve(world)

  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(await readText('docs/api.md')) ?? []
  // Node.js 20 warns that the Ed25519 of its Web Crypto API is experimental.
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module']
  const client = spawn(process.execPath, [...options, '-', origin], { cwd: root, timeout: 50_000 })
  client.stdin.end(example)
  const [said, complaint] = await Promise.all([text(client.stdout), text(client.stderr)])

  expect(`${said}${complaint}`).toBe('Delivered: 7 Apple Juice for 0.05 SOL\n')
  await expectAllAddsUp(world)
})

async function serve({ connection, chain, deps }: TradingWorld): Promise<string> {
  const app = await createApp({
    config: { ...readConfig({}), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 'studio-key-of-this-test',
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder: MIGRATIONS,
  })
  await app.start()
  onTestFinished(() => app.stop())
  return app.fastify.listeningOrigin
}
