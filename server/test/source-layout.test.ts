import { dirname } from 'node:path'

import { describe, expect, it } from 'vitest'

import { listFiles, readText } from './docs/repository.ts'

const MAX_FILES = 12
const MAX_LINES = 250

const sourceFolders = ['contract/src', 'server/src', 'web/src', 'scripts']
const code = ['.ts', '.tsx', '.mjs'].flatMap((ending) => listFiles(ending))
const sources = code.filter((path) => sourceFolders.some((folder) => path.startsWith(`${folder}/`)))
/** Written by `npm run schema`. */
const generated = new Set(['server/src/database/schema.ts'])

describe('the sources', () => {
  it(`are in folders of at most ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>()
    for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, files]) => files > MAX_FILES)).toEqual([])
  })

  it(`are in files of at most ${MAX_LINES} lines`, async () => {
    const files = sources.filter((path) => !generated.has(path))
    const lengths = await Promise.all(files.map(async (path) => [path, (await readText(path)).trimEnd().split('\n').length] as const))
    expect(lengths.filter(([, lines]) => lines > MAX_LINES)).toEqual([])
  })
})

describe('tests', () => {
  /** Sleeping in the words of Node.js, of Playwright and by hand. */
  const sleeping = /^import .* from 'node:timers\/promises'|waitForTimeout\(|new Promise\(.*=>\s*setTimeout\(/m

  it('wait for conditions, never for a while', async () => {
    const tests = code.filter((path) => /\.(?:test|spec)\.\w+$/.test(path) && path !== 'server/test/source-layout.test.ts')
    const found = await Promise.all(tests.map(async (path) => ((await readText(path)).match(sleeping) ? [path] : [])))
    expect(found.flat()).toEqual([])
  })
})
