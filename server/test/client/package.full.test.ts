import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { extract } from 'tar'
import { expect, it } from 'vitest'

import { root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

const run = promisify(execFile)

const GAME = `
import { createMarket, verifyWebhook, MarketError } from '@juicebar/client'
import { checkout } from '@juicebar/client/browser'

const market = createMarket({ url: 'http://127.0.0.1:9', key: 'jb_key', retries: 0 })
const wish = { tokenType: 'APPLE_JUICE', amount: 1, returnUrl: 'https://game.example/', idempotencyKey: 'order 1' }
const made: string = await market.createCheckout({ body: wish }).then((reply) => reply.checkout.url, (error) => typeof error)
// @ts-expect-error -- it needs an amount
void (() => market.createCheckout({ body: { ...wish, amount: 'one' } }))
console.log(made, typeof verifyWebhook, typeof checkout.open, typeof MarketError)
`

it('the client is packed with its types, and a game compiles and runs with it', async () => {
  const folder = await tempFolder()
  const { stdout } = await run('npm', ['pack', '--workspace', 'client', '--pack-destination', folder, '--silent'], { cwd: root })
  const packed = join(folder, 'node_modules/@juicebar/client')
  await mkdir(packed, { recursive: true })
  await extract({ file: join(folder, stdout.trim()), cwd: packed, strip: 1 })
  for (const name of ['standardwebhooks', '@stablelib', 'fast-sha256', 'typescript', '@types', '@typescript', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const options = { module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom'], types: ['node'], strict: true, skipLibCheck: false }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['game.ts'] }))
  await writeFile(join(folder, 'game.ts'), GAME)
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout)
  })
  const { stdout: said } = await run(process.execPath, ['game.js'], { cwd: folder })
  expect(said.trim()).toBe('object function function function')
})
