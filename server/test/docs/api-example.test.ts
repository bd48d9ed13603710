import { spawn } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, it } from 'vitest'

import { tempFolder } from '../embedded/temp-folder.ts'
import { serveMarket } from '../http/market-server.ts'
import { useTradingWorld } from '../purchases/trading-world.ts'
import { readText, root } from './repository.ts'

const DELIVERED = 'Delivered: 7 Apple Juice for 0.05 SOL\n'

const world = useTradingWorld()

/** Node.js 20 warns that the Ed25519 of its Web Crypto API is experimental. */
const quietly = '--disable-warning=ExperimentalWarning'

it('the client in docs/api.md buys a drink without a change', async () => {
  const origin = await openMarket()
  const script = await readExample('js')
  expect(await run([quietly, '--input-type=module', '-', origin], { stdin: script })).toBe(DELIVERED)
})

it('the typed client in docs/api.md compiles against the served document without a cast, and buys a drink', async () => {
  const origin = await openMarket()
  const client = await readExample('ts')
  expect(client.replaceAll(/^import .*$/gm, '')).not.toMatch(/\bas\b|\bany\b|@ts-|!\./)

  const folder = await tempFolder()
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  // What a new project has. The imports end in `.ts`, as Node.js and tsx want them.
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true } }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'buy.ts'), client)
  await writeFile(join(folder, 'juicebar.ts'), astToString(await openapiTypescript(new URL('/api/openapi.json', origin))))

  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])).toBe('')
  expect(await run([quietly, '--import', 'tsx', join(folder, 'buy.ts'), origin])).toBe(DELIVERED)
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

/** A server of the market, with one listing. @returns its origin */
async function openMarket(): Promise<string> {
  await world.list(world.seller, { amount: 7, price: 50_000_000n })
  return serveMarket(world)
}
