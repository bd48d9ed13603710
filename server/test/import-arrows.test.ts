import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { tempFolder } from './embedded/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** By the file that imports: what it imports `a` from, or the whole line. */
type Imports = Record<string, readonly string[]>

/** Each is one line of source in a file of that name, which the linter must refuse. */
const refused: Imports = {
  'server/src/chain/x.ts': ['../purchases/a.ts', './client/a.ts', '../database/a.ts'],
  'server/src/chain/rpc/x.ts': ['../client/a.ts', '../../purchases/a.ts'],
  'server/src/chain/transactions/x.ts': ['../rpc/a.ts'],
  'server/src/database/x.ts': ['../inventory/a.ts'],
  'server/src/http/x.ts': ['kysely', '../sign-in/a.ts'],
  'server/src/inventory/x.ts': [
    '../listings/a.ts',
    '../purchases/a.ts',
    `export { a } from '../purchases/a.ts'`,
    `export const a = import('../purchases/a.ts')`,
  ],
  'server/src/listings/x.ts': ['../purchases/a.ts', '../app/a.ts'],
  'server/src/purchases/x.ts': [
    '../main.ts',
    '../studio/a.ts',
    '../embedded/demo.ts',
    '@solana/kit',
    '@solana-program/system',
    '../chain/client/solana-chain.ts',
  ],
  'server/src/purchases/payment/x.ts': ['../cases/a.ts', '../routes.ts', '../../studio/a.ts'],
  'server/src/purchases/cases/x.ts': ['../hold/a.ts'],
  'server/src/purchases/hold/x.ts': ['../settlement/a.ts', '../../chain/client/a.ts'],
  'server/src/purchases/settlement/x.ts': ['../reconciliation/a.ts'],
  'server/src/purchases/reconciliation/x.ts': ['../routes.ts'],
  'server/src/config.ts': ['./purchases/a.ts', './brand/a.ts'],
  'server/src/studio/log/x.ts': ['../keys/a.ts', '../routes.ts'],
  'server/src/runtime/x.ts': ['../settings/a.ts', '../config.ts'],
  'server/src/sign-in/x.ts': ['../listings/a.ts'],
  'server/src/app/app.ts': ['@solana/kit'],
  'server/src/embedded/x.ts': ['../app/a.ts'],
  'contract/src/x.ts': ['node:fs', '../../server/src/config.ts'],
  'contract/src/schemas/x.ts': ['../../../server/src/config.ts'],
  'web/src/ui/x.ts': ['../api/a.ts'],
  'web/src/api/x.ts': ['../session/a.ts'],
  'web/src/wallet/x.ts': ['../session/a.ts'],
  'web/src/wallet/demo/x.ts': ['../../session/a.ts'],
  'web/src/session/x.ts': ['../features/market/a.ts'],
  'web/src/features/market/x.ts': [
    '../purchase/a.ts',
    '../../app.tsx',
    '../../shell/a.ts',
    `export const a = import('../../wallet/demo/a.ts')`,
    '@juicebar/contract/schemas',
    '@juicebar/contract/schemas/market',
    'typebox',
  ],
  'web/src/shell/header/x.ts': ['../../app.tsx'],
  'web/src/app.tsx': ['@juicebar/contract/schemas'],
}

const allowed: Imports = {
  'server/src/purchases/x.ts': ['../listings/a.ts', '../chain/chain.ts'],
  'server/src/listings/x.ts': ['../inventory/a.ts'],
  'server/src/chain/rpc/x.ts': ['@solana/kit'],
  'server/src/chain/client/x.ts': ['../rpc/a.ts'],
  'server/src/purchases/hold/x.ts': ['../payment/a.ts', '../purchase/a.ts'],
  'server/src/purchases/reconciliation/x.ts': ['../../chain/chain.ts', '../settlement/a.ts'],
  'server/src/main.ts': [`export const a = import('./embedded/postgres.ts')`],
  'contract/src/x.ts': ['./money.ts'],
  'contract/src/schemas/x.ts': ['../money.ts'],
  'web/src/features/market/x.ts': [`import { type A } from '@juicebar/contract/schemas'`, '@juicebar/contract/money', '../../wallet/a.ts'],
  'web/src/wallet/demo/x.ts': ['../wallet.ts'],
  'web/src/shell/x.ts': ['../features/market/a.tsx'],
}

/** Writes each line to a file of its own, in an empty folder. @returns all files, and those whose imports the linter refuses */
async function lint(imports: Imports) {
  const lines = Object.entries(imports).flatMap(([file, parts]) => parts.map((part) => [file, part] as const))
  const files = lines.map(([file, part], index) => ({
    path: file.replace(/x\.ts$/, `x${index}.ts`),
    line: part.includes(' ') ? part : `import { a } from '${part}'`,
  }))
  const folder = await tempFolder()
  await copyFile(join(root, 'oxlint.config.mjs'), join(folder, 'oxlint.config.mjs'))
  for (const { path, line } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `${line}\n`)
  }
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint')
  const { stdout } = spawnSync(oxlint, ['--config', 'oxlint.config.mjs', '--format', 'unix'], { cwd: folder, encoding: 'utf8' })
  const complaints = stdout.split('\n').filter((line) => line.includes('no-restricted-imports'))
  return { files: files.map(({ path }) => path), complaints: complaints.map((line) => line.split(':')[0] ?? '') }
}

describe('the linter', () => {
  it('refuses every import against the arrows', async () => {
    const { files, complaints } = await lint(refused)
    expect(files.filter((file) => !complaints.includes(file))).toEqual([])
  })

  it('lets imports along the arrows pass', async () => {
    expect((await lint(allowed)).complaints).toEqual([])
  })
})
