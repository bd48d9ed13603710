import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

/** A folder with these files, by default an empty one, that is deleted when the test ends. */
export async function tempFolder(files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}
