import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { plainSvg } from '../brand/brand-folder.ts'

/** An item as a file has it. Its picture is `drink.svg`, which is in every folder. */
export const item = (code: string, changes: object = {}) => ({
  code,
  name: `The ${code}`,
  image: 'drink.svg',
  color: '#8ee34a',
  ...changes,
})

/** Writes a catalogue, as text or as a list, and the files beside it. They go with the test. @returns the path of its file */
export async function catalogueFile(catalogue: string | readonly object[], files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-catalogue-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const text = typeof catalogue === 'string' ? catalogue : JSON.stringify(catalogue, undefined, 2)
  const all = { 'catalogue.json': text, 'drink.svg': plainSvg, ...files }
  for (const [name, content] of Object.entries(all)) await writeFile(join(folder, name), content)
  return join(folder, 'catalogue.json')
}
