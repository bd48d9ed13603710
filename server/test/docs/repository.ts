import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Folders of what is installed, built or left by a run. */
const generated = new Set(['node_modules', 'dist', 'test-results', 'playwright-report'])

/** The paths of this repository's own files with this ending. */
export function listFiles(ending: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.') || generated.has(entry.name) ? [] : listFiles(ending, path)
    return entry.name.endsWith(ending) ? [relative(root, path)] : []
  })
}

export function readText(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8')
}

/** The cells of the table under a heading, without its header. */
export function readTable(markdown: string, heading: string): string[][] {
  const [, after = ''] = markdown.split(`\n${heading}\n`)
  const [section = ''] = after.split('\n## ')
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
