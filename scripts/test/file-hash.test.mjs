import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { hashOfFiles } from '../support/file-hash.mjs'

const folder = mkdtempSync(join(tmpdir(), 'juicebar-sources-'))
mkdirSync(join(folder, 'src', 'parts'), { recursive: true })
writeFileSync(join(folder, 'src', 'main.ts'), 'start()')
writeFileSync(join(folder, 'src', 'parts', 'one.ts'), 'one')
writeFileSync(join(folder, 'package.json'), '{}')
afterAll(() => rmSync(folder, { recursive: true }))

const hash = () => hashOfFiles(folder, ['package.json', 'src', 'absent.ts'])

describe('whether something was built from the present sources', () => {
  it('does not depend on when they were written', () => {
    const before = hash()
    utimesSync(join(folder, 'src', 'main.ts'), 1, 1)
    expect(hash()).toBe(before)
  })

  it.each([
    ['changed', () => writeFileSync(join(folder, 'src', 'parts', 'one.ts'), 'two')],
    ['added', () => writeFileSync(join(folder, 'src', 'parts', 'two.ts'), 'one')],
    ['renamed', () => renameSync(join(folder, 'src', 'parts', 'two.ts'), join(folder, 'src', 'parts', 'three.ts'))],
    ['deleted', () => rmSync(join(folder, 'src', 'parts', 'one.ts'))],
    ['named, and there at last', () => writeFileSync(join(folder, 'absent.ts'), '')],
  ])('is denied once one is %s', (_, change) => {
    const before = hash()
    change()
    expect(hash()).not.toBe(before)
  })
})
