import { spawn } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, it, onTestFinished } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { createApp } from '../../src/app.ts'
import { createRelay } from '../../src/chain/relay/relay.ts'
import { readConfig } from '../../src/settings/config.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { expectAllAddsUp, list, openTradingWorld, type TradingWorld } from '../purchases/trading-world.ts'
import { readText, root } from './repository.ts'

const MIGRATIONS = `${root}/server/migrations`
const DELIVERED = 'Delivered: 7 Apple Juice for 0.05 SOL\n'

/** Node.js 20 warns that the Ed25519 of its Web Crypto API is experimental. */
const quietly = '--disable-warning=ExperimentalWarning'

it('the client in docs/api.md buys a drink without a change', async () => {
  const { origin, world } = await openMarket()
  const script = await readExample('js')
  expect(await run([quietly, '--input-type=module', '-', origin], { stdin: script })).toBe(DELIVERED)
  await expectAllAddsUp(world)
})

it('the typed client in docs/api.md compiles against the served document without a cast, and buys a drink', async () => {
  const { origin, world } = await openMarket()
  const client = await readExample('ts')
  expect(client.replaceAll(/^import .*$/gm, '')).not.toMatch(/\bas\b|\bany\b|@ts-|!\./)

  const folder = await tempFolder()
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions: { types: ['node'] } }),
  )
  await writeFile(join(folder, 'buy.ts'), client)
  await writeFile(join(folder, 'juicebar.ts'), astToString(await openapiTypescript(new URL('/api/openapi.json', origin))))

  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])).toBe('')
  expect(await run([quietly, '--import', 'tsx', join(folder, 'buy.ts'), origin])).toBe(DELIVERED)
  await expectAllAddsUp(world)
})

/** The first example of a language in the guide. */
async function readExample(language: 'js' | 'ts'): Promise<string> {
  const [, example = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(await readText('docs/api.md')) ?? []
  return example
}

/** Runs Node.js in the repository. @returns everything that it printed */
async function run(args: string[], { stdin = '' } = {}): Promise<string> {
  const client = spawn(process.execPath, args, { cwd: root, timeout: 50_000 })
  client.stdin.end(stdin)
  const [said, complaint] = await Promise.all([text(client.stdout), text(client.stderr)])
  return `${said}${complaint}`
}

/** A market with one listing. */
async function openMarket(): Promise<{ world: TradingWorld; origin: string }> {
  const world = await openTradingWorld()
  onTestFinished(() => world.close())
  await list(world, await world.createWallet(), { amount: 7, price: 50_000_000n })
  return { world, origin: await serve(world) }
}

async function serve({ connection, chain, deps }: TradingWorld): Promise<string> {
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 'studio-key-of-this-test',
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder: MIGRATIONS,
  })
  await app.start()
  onTestFinished(() => app.stop())
  return app.fastify.listeningOrigin
}
