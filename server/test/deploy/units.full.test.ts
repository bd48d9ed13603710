import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { readText, root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { requireProgram } from './programs.ts'

const MAX_EXPOSURE = 3
const folder = join(root, 'deploy', 'systemd')
const units = await readdir(folder)
const services = units.filter((name) => name.endsWith('.service'))

function run(program: string, ...typed: string[]) {
  const { stdout, stderr, status } = spawnSync(program, typed, { encoding: 'utf8' })
  return { output: stdout + stderr, status }
}

describe("systemd's units", () => {
  it('are right: systemd-analyze verify', async (context) => {
    const analyze = await requireProgram(context, 'systemd-analyze', 'systemd')
    // Verifying asks whether the programs are there.
    const here = async (unit: string) => (await readText(`deploy/systemd/${unit}`)).replaceAll('/opt/juicebar/', root.replace(/\/?$/, '/'))
    const copy = await tempFolder(Object.fromEntries(await Promise.all(units.map(async (unit) => [unit, await here(unit)]))))
    const verified = run(analyze, 'verify', '--man=no', '--recursive-errors=no', ...units.map((unit) => join(copy, unit)))
    expect(verified).toEqual({ output: '', status: 0 })
  })

  it.for(services)(`%s is exposed to at most ${MAX_EXPOSURE}: systemd-analyze security`, async (name, context) => {
    const analyze = await requireProgram(context, 'systemd-analyze', 'systemd')
    const { output } = run(analyze, 'security', '--offline=true', '--no-pager', join(folder, name))
    const [, level] = /Overall exposure level for .*: (\d+\.\d+)/.exec(output) ?? []
    expect(Number(level)).toBeLessThanOrEqual(MAX_EXPOSURE)
  })
})

describe('juicebar.env.example', () => {
  it('is refused until its secrets are set, and then accepted', async () => {
    const lines = (await readText('deploy/juicebar.env.example')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const settings = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    const open = Object.keys(settings).filter((name) => settings[name] === '')
    expect(open).toEqual(['JWT_SECRET', 'STUDIO_API_KEY', 'REFERENCE_SECRET'])
    expect(() => readConfig(settings)).toThrow('JWT_SECRET is set but empty')
    const filled = { ...settings, ...Object.fromEntries(open.map((name) => [name, name.repeat(4)])) }
    expect(readConfig(filled)).toMatchObject({ host: '127.0.0.1', trustProxy: ['loopback'], settleAt: 'finalized', demo: false })
  })
})

describe('the shell scripts', () => {
  it('are right: shellcheck', async (context) => {
    const shellcheck = await requireProgram(context, 'shellcheck')
    const scripts = ['prepare.sh', 'backup/backup.sh', 'backup/restore.sh', 'backup/rehearse.sh', 'nginx/follow-ready.sh']
    expect(run(shellcheck, ...scripts.map((script) => join(root, 'deploy', script)))).toEqual({ output: '', status: 0 })
  })
})
