import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const server = join(root, 'server')
const SOURCES = ['server/src', 'contract/src', 'server/vite.config.ts', 'server/package.json', 'package-lock.json']
const CACHE = '.cache-'

let built: Promise<string> | undefined

/**
 * A program of the server as `npm run build` makes it, which starts several times faster than its source. Built when it is first needed, and
 * kept beside `dist` until the sources change: a build that is replaced meanwhile would break the processes that run from it.
 */
export async function builtProgram(name: 'main' | 'audit' | 'studio'): Promise<string> {
  return join(await (built ??= buildOnce()), `${name}.js`)
}

async function buildOnce(): Promise<string> {
  const folder = `${CACHE}${await hashOfSources()}`
  const path = join(server, folder)
  if (existsSync(path)) return path
  const draft = `${path}-${process.pid}`
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  const options = ['build', '--outDir', draft, '--logLevel', 'error']
  await promisify(execFile)(process.execPath, [vite, ...options], { cwd: server, env: { ...process.env, NODE_ENV: 'production' } })
  // Another worker may have been faster.
  await rename(draft, path).catch(() => rm(draft, { recursive: true }))
  const earlier = (await readdir(server)).filter((name) => name.startsWith(CACHE) && !name.startsWith(folder))
  for (const name of earlier) await rm(join(server, name), { recursive: true, force: true })
  return path
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(root, source)
    const entries = source.endsWith('/src') ? await readdir(path, { recursive: true, withFileTypes: true }) : undefined
    const files = entries?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path]
    for (const file of files.toSorted()) hash.update(`${file}\0`).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}
