import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { readText, root } from '../docs/repository.ts'
import { requireProgram } from './programs.ts'

const [, after = ''] = (await readText('docs/install.md')).split('\n## Deploy on a bare Debian\n')
const [section = ''] = after.split('\n## ')
const [, backups = ''] = (await readText('docs/recover.md')).split('\n## Backups\n')
/** What is to be typed, in this section and where it sends those who restore. */
const blocks = [...`${section}${backups}`.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)

describe('what install.md and recover.md have an operator type', () => {
  it('is right shell: shellcheck', async (context) => {
    const shellcheck = await requireProgram(context, 'shellcheck')
    expect(blocks.length).toBeGreaterThan(7)
    for (const block of blocks) {
      // At a prompt a variable lasts.
      const script = block.includes('version=') ? block : `version=0.3.0\n: "$version"\n${block}`
      const { stdout } = spawnSync(shellcheck, ['--shell=sh', '-'], { input: script, encoding: 'utf8' })
      expect({ block, complaint: stdout }).toEqual({ block, complaint: '' })
    }
  })

  it('names only files that are in the archive', () => {
    const named = [...section.matchAll(/\/opt\/juicebar(?:-\$version)?\/([\w./@*-]*\w)/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(7)
    expect(named.filter((path) => !existsSync(join(root, path)) && path !== 'start.mjs' && !path.endsWith('/juicebar'))).toEqual([])
  })
})
