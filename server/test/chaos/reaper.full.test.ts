import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { startReaper } from '../../chaos/stack/reaper.ts'
import { tempFolder } from '../embedded/temp-folder.ts'

const reaperModule = new URL('../../chaos/stack/reaper.ts', import.meta.url).href

/** A program that works in a folder, with a child that does not name it. */
async function startProgram(folder: string): Promise<{ program: ChildProcess; untilEnded: () => Promise<void> }> {
  const script = `const child = require('node:child_process').spawn('sleep', ['600']); child.on('spawn', () => console.log(child.pid))`
  const program = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1000)`, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void program.kill('SIGKILL'))
  const ended = once(program, 'exit')
  const [line]: Buffer[] = await once(program.stdout, 'data')
  const child = Number(String(line))
  const untilEnded = async () => {
    await ended
    await expect.poll(() => isAlive(child)).toBe(false)
  }
  return { program, untilEnded }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// It finds processes as Linux lists them, which is where Debian's packages run.
describe.runIf(process.platform === 'linux')('the reaper', () => {
  it('ends the programs of its folder and what they started, and deletes it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'juicebar-reaper-'))
    const reaper = await startReaper(folder, { deletes: true })
    const { program, untilEnded } = await startProgram(folder)
    program.kill('SIGSTOP')
    await reaper.reap()
    await untilEnded()
    expect(existsSync(folder)).toBe(false)
  })

  it('leaves the folder if it is not to be deleted', async () => {
    const folder = await tempFolder()
    const reaper = await startReaper(folder, { deletes: false })
    await reaper.reap()
    expect(existsSync(folder)).toBe(true)
  })

  it('does so too when the process that started it is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'juicebar-reaper-'))
    const code = `import { startReaper } from ${JSON.stringify(reaperModule)}\nawait startReaper(process.env.FOLDER, { deletes: true })\nconsole.log('started')\nsetInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      env: { ...process.env, FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    await once(parent.stdout, 'data')
    const { untilEnded } = await startProgram(folder)
    parent.kill('SIGKILL')
    await untilEnded()
    await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false)
  })
})
