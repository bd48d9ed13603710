import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

const serverFolder = new URL('../..', import.meta.url).pathname
const codegen = createRequire(import.meta.url).resolve('kysely-codegen/dist/cli/bin.js')

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))
afterAll(() => fresh.drop())

it('the table types are those of the migrated database', async () => {
  const check = promisify(execFile)(process.execPath, [codegen, '--verify'], {
    cwd: serverFolder,
    env: { ...process.env, DATABASE_URL: fresh.url },
  })
  await expect(check).resolves.toBeDefined()
})
