import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

/** An empty folder that is deleted when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
