import { execFile } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { root } from '../docs/repository.ts'

const run = promisify(execFile)
const cache = join(root, '.cache', 'promtool')
const DOWNLOAD_MILLIS = 60_000

/**
 * The path of promtool: this machine's, or that of Debian's package prometheus, which is unpacked and not installed, so that no service
 * starts. Undefined where there is neither.
 */
export async function findPromtool(): Promise<string | undefined> {
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
  await run('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: DOWNLOAD_MILLIS })
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')])
  await rename(join(folder, 'unpacked'), cache)
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
