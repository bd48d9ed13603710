import { basename, join } from 'node:path'
import { ConfigError } from '../../src/settings/setting-reader.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

type Files = Record<string, string | Buffer>

export const plainSvg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>'

const asText = (content: string | object) => (typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))

/** A folder with a brand, as text or as an object, and the files beside it. It goes with the test. */
export function brandFolder(brand: string | object, files: Files = {}): Promise<string> {
  return tempFolder({ 'brand.json': asText(brand), ...files })
}

/** An item as a file has it. Its picture is `drink.svg`, which is in every folder. */
export const item = (code: string, changes: object = {}) => ({
  code,
  name: `The ${code}`,
  image: 'drink.svg',
  color: '#8ee34a',
  ...changes,
})

/** Writes a catalogue, as text or as a list, and the files beside it. They go with the test. @returns the path of its file */
export async function catalogueFile(catalogue: string | readonly object[], files: Files = {}): Promise<string> {
  return join(await tempFolder({ 'catalogue.json': asText(catalogue), 'drink.svg': plainSvg, ...files }), 'catalogue.json')
}

/** What a file is refused for as it is read, with its name in place of its path. */
export async function problemsOf(reading: Promise<unknown>, path: string): Promise<string[]> {
  try {
    await reading
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => problem.replaceAll(path, basename(path)))
  }
}
