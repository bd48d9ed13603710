import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

export const plainSvg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>'

/** A folder with these files, `brand.json` as text or as an object; it goes with the test. */
export async function brandFolder(brand: string | object, files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-brand-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const text = typeof brand === 'string' ? brand : JSON.stringify(brand, undefined, 2)
  for (const [name, content] of Object.entries({ 'brand.json': text, ...files })) await writeFile(join(folder, name), content)
  return folder
}
