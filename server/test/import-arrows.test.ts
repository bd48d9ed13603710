import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { tempFolder } from './embedded/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each is one line of source in a file of that name, which the linter must refuse. */
const refused: [file: string, line: string][] = [
  ['server/src/chain/x.ts', `import { a } from '../purchases/a.ts'`],
  ['server/src/chain/x.ts', `import { a } from './client/a.ts'`],
  ['server/src/chain/rpc/x.ts', `import { a } from '../client/a.ts'`],
  ['server/src/chain/rpc/x.ts', `import { a } from '../../purchases/a.ts'`],
  ['server/src/chain/transactions/x.ts', `import { a } from '../rpc/a.ts'`],
  ['server/src/chain/x.ts', `import { a } from '../database/a.ts'`],
  ['server/src/database/x.ts', `import { a } from '../inventory/a.ts'`],
  ['server/src/http/x.ts', `import { a } from 'kysely'`],
  ['server/src/http/x.ts', `import { a } from '../sign-in/a.ts'`],
  ['server/src/inventory/x.ts', `import { a } from '../listings/a.ts'`],
  ['server/src/inventory/x.ts', `import { a } from '../purchases/a.ts'`],
  ['server/src/inventory/x.ts', `export { a } from '../purchases/a.ts'`],
  ['server/src/inventory/x.ts', `export const a = import('../purchases/a.ts')`],
  ['server/src/listings/x.ts', `import { a } from '../purchases/a.ts'`],
  ['server/src/listings/x.ts', `import { a } from '../app.ts'`],
  ['server/src/purchases/x.ts', `import { a } from '../main.ts'`],
  ['server/src/purchases/x.ts', `import { a } from '../studio/a.ts'`],
  ['server/src/purchases/x.ts', `import { a } from '../embedded/demo.ts'`],
  ['server/src/purchases/x.ts', `import { a } from '@solana/kit'`],
  ['server/src/purchases/x.ts', `import { a } from '@solana-program/system'`],
  ['server/src/purchases/x.ts', `import { a } from '../chain/client/solana-chain.ts'`],
  ['server/src/purchases/payment/x.ts', `import { a } from '../cases/a.ts'`],
  ['server/src/purchases/payment/x.ts', `import { a } from '../routes.ts'`],
  ['server/src/purchases/payment/x.ts', `import { a } from '../../studio/a.ts'`],
  ['server/src/purchases/cases/x.ts', `import { a } from '../hold/a.ts'`],
  ['server/src/purchases/hold/x.ts', `import { a } from '../settlement/a.ts'`],
  ['server/src/purchases/hold/x.ts', `import { a } from '../../chain/client/a.ts'`],
  ['server/src/purchases/settlement/x.ts', `import { a } from '../reconciliation/a.ts'`],
  ['server/src/purchases/reconciliation/x.ts', `import { a } from '../routes.ts'`],
  ['server/src/purchases/reconciliation/purchase/x.ts', `import { a } from '../case/a.ts'`],
  ['server/src/purchases/reconciliation/case/x.ts', `import { a } from '../reconcile-round.ts'`],
  ['server/src/http/api/x.ts', `import { a } from '../server/a.ts'`],
  ['server/src/embedded/postgres/x.ts', `import { a } from '../demo/a.ts'`],
  ['server/src/sign-in/x.ts', `import { a } from '../listings/a.ts'`],
  ['server/src/app.ts', `import { a } from '@solana/kit'`],
  ['server/src/embedded/x.ts', `import { a } from '../app.ts'`],
  ['server/src/embedded/demo/x.ts', `import { a } from '../../app.ts'`],
  ['contract/src/x.ts', `import { a } from 'node:fs'`],
  ['contract/src/schemas/x.ts', `import { a } from '../../../server/src/settings/config.ts'`],
  ['contract/src/x.ts', `import { a } from '../../server/src/settings/config.ts'`],
  ['web/src/ui/x.ts', `import { a } from '../api/a.ts'`],
  ['web/src/api/x.ts', `import { a } from '../session/a.ts'`],
  ['web/src/wallet/x.ts', `import { a } from '../session/a.ts'`],
  ['web/src/wallet/demo/x.ts', `import { a } from '../../session/a.ts'`],
  ['web/src/session/x.ts', `import { a } from '../features/market/a.ts'`],
  ['web/src/features/market/x.ts', `import { a } from '../purchase/a.ts'`],
  ['web/src/features/market/x.ts', `import { a } from '../../app.tsx'`],
  ['web/src/features/market/x.ts', `import { a } from '../../shell/a.ts'`],
  ['web/src/features/market/x.ts', `export const a = import('../../wallet/demo/a.ts')`],
  ['web/src/features/market/x.ts', `import { a } from '@juicebar/contract/schemas'`],
  ['web/src/features/market/x.ts', `import { a } from '@juicebar/contract/schemas/market'`],
  ['web/src/features/market/x.ts', `import { a } from 'typebox'`],
  ['web/src/shell/header/x.ts', `import { a } from '../../app.tsx'`],
  ['web/src/app.tsx', `import { a } from '@juicebar/contract/schemas'`],
]

const allowed: [file: string, line: string][] = [
  ['server/src/purchases/x.ts', `import { a } from '../listings/a.ts'`],
  ['server/src/purchases/x.ts', `import { a } from '../chain/chain.ts'`],
  ['server/src/listings/x.ts', `import { a } from '../inventory/a.ts'`],
  ['server/src/chain/rpc/x.ts', `import { a } from '@solana/kit'`],
  ['server/src/chain/client/x.ts', `import { a } from '../rpc/a.ts'`],
  ['server/src/purchases/hold/x.ts', `import { a } from '../payment/a.ts'`],
  ['server/src/purchases/hold/x.ts', `import { a } from '../purchase-store.ts'`],
  ['server/src/purchases/reconciliation/x.ts', `import { a } from '../../chain/chain.ts'`],
  ['server/src/purchases/reconciliation/x.ts', `import { a } from './case/a.ts'`],
  ['server/src/purchases/reconciliation/case/x.ts', `import { a } from '../schedule.ts'`],
  ['server/src/main.ts', `export const a = import('./embedded/postgres.ts')`],
  ['contract/src/x.ts', `import { a } from './money.ts'`],
  ['contract/src/schemas/x.ts', `import { a } from '../money.ts'`],
  ['web/src/features/market/x.ts', `import { type A } from '@juicebar/contract/schemas'`],
  ['web/src/features/market/x.ts', `import { a } from '@juicebar/contract/money'`],
  ['web/src/features/market/x.ts', `import { a } from '../../wallet/a.ts'`],
  ['web/src/wallet/demo/x.ts', `import { a } from '../wallet.ts'`],
  ['web/src/shell/x.ts', `import { a } from '../features/market/a.tsx'`],
]

/** Writes each line to a file in an empty folder. @returns the files whose imports the linter refuses. */
async function lint(lines: [file: string, line: string][]): Promise<string[]> {
  const folder = await tempFolder()
  await copyFile(join(root, 'oxlint.config.mjs'), join(folder, 'oxlint.config.mjs'))
  for (const [index, [file, line]] of lines.entries()) {
    const path = join(folder, placeOf(file, index))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${line}\n`)
  }
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint')
  const { stdout } = spawnSync(oxlint, ['--config', 'oxlint.config.mjs', '--format', 'unix'], { cwd: folder, encoding: 'utf8' })
  const complaints = stdout.split('\n').filter((line) => line.includes('no-restricted-imports'))
  return complaints.map((line) => line.split(':')[0] ?? '')
}

/** Several lines for the same file each get a file of their own beside it. */
function placeOf(file: string, index: number): string {
  return file.replace(/x\.ts$/, `x${index}.ts`)
}

describe('the linter', () => {
  it('refuses every import against the arrows', async () => {
    const complaints = await lint(refused)
    expect(refused.map(([file], index) => placeOf(file, index)).filter((file) => !complaints.includes(file))).toEqual([])
  })

  it('lets imports along the arrows pass', async () => {
    expect(await lint(allowed)).toEqual([])
  })
})
