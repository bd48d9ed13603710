import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes the pages of a web app that was built, and has nothing in it, into a folder. */
export async function writeBuiltPages(folder: string): Promise<void> {
  for (const name of ['index', 'studio'])
    await writeFile(join(folder, `${name}.html`), `<!doctype html><head><!--market-head--></head><p>${name}</p>`)
}
