import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, expect, it, type TestContext } from 'vitest'

import { readText, root } from '../docs/repository.ts'
import { startExercised } from './exercised-server.ts'

const runFile = promisify(execFile)
const cache = join(root, '.cache', 'promtool')
const DOWNLOAD_MILLIS = 60_000
const MISSING = "promtool is not on this machine, and Debian's package prometheus cannot be downloaded here: apt-get install prometheus."

let promtool: string | undefined

beforeAll(async () => void (promtool = await findPromtool()), 90_000)

/** What promtool says, and its exit code. */
async function run({ skip }: TestContext, what: string[], input = ''): Promise<{ code: unknown; said: string }> {
  if (promtool === undefined) return skip(MISSING)
  const child = spawn(promtool, what, { cwd: join(root, 'deploy', 'prometheus') })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  child.stdin.end(input)
  const [code]: unknown[] = await once(child, 'close')
  return { code, said }
}

it('promtool finds nothing wrong with a scrape', async (context) => {
  const server = await startExercised()
  const text = await (await fetch(server.url)).text()
  await server.stop()
  expect(await run(context, ['check', 'metrics'], text)).toEqual({ code: 0, said: '' })
})

it('promtool finds nothing wrong with the alerts', async (context) => {
  expect(await run(context, ['check', 'rules', 'alerts.yml'])).toMatchObject({ code: 0, said: expect.stringContaining('SUCCESS') })
})

it('promtool finds nothing wrong with the example of a configuration', async (context) => {
  expect(await run(context, ['check', 'config', 'prometheus.yml'])).toMatchObject({ code: 0, said: expect.stringContaining('SUCCESS') })
})

it('each alert fires for its trouble and for no other, and none in a market that is well', { timeout: 60_000 }, async (context) => {
  expect(await run(context, ['test', 'rules', 'alerts.test.yml'])).toMatchObject({ code: 0, said: expect.stringContaining('SUCCESS') })
  const tests = await readText('deploy/prometheus/alerts.test.yml')
  const alerts = [...(await readText('deploy/prometheus/alerts.yml')).matchAll(/- alert: (\S+)/g)].map(([, name = '']) => name)
  expect(alerts.filter((name) => !tests.includes(`- name: ${name}\n`))).toEqual([])
})

/**
 * The path of promtool: this machine's, or that of Debian's package prometheus, which is unpacked and not installed, so that no service
 * starts. Undefined where there is neither.
 */
async function findPromtool(): Promise<string | undefined> {
  const unpacked = join(cache, 'usr', 'bin')
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), unpacked]) {
    if (await isProgram(join(folder, 'promtool'))) return join(folder, 'promtool')
  }
  try {
    await unpackDebianPackage()
  } catch {
    return undefined
  }
  return (await isProgram(join(unpacked, 'promtool'))) ? join(unpacked, 'promtool') : undefined
}

async function unpackDebianPackage(): Promise<void> {
  await mkdir(join(root, '.cache'), { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  await runFile('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: DOWNLOAD_MILLIS })
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
  await runFile('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')])
  await rename(join(folder, 'unpacked'), cache)
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
