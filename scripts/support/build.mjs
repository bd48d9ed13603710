import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { cacheFolder, expectSuccess, root, runNode, timed } from './run.mjs'

/** @typedef {{ workspace: string, title: string, result: string, sources: string[] }} Build */

const SHARED = ['tsconfig.base.json', 'contract/package.json', 'contract/src', 'package-lock.json']

/** @type {Build[]} */
const builds = [
  {
    workspace: 'server',
    title: 'Building the server',
    result: 'server/dist/main.js',
    sources: [...SHARED, 'server/package.json', 'server/src', 'server/vite.config.ts'],
  },
  {
    workspace: 'web',
    title: 'Building the page',
    result: 'web/dist/index.html',
    sources: [...SHARED, 'web/package.json', 'web/tsconfig.json', 'web/index.html', 'web/public', 'web/src', 'web/vite.config.ts'],
  },
]

/** Builds the server and the page where they are not built from what the sources say now. */
export async function ensureBuilt() {
  const stale = builds.filter((build) => readStamp(build) !== stampOf(build))
  for (const build of stale) await timed(build.title, () => runBuild(build))
}

/** @param {Build} build */
async function runBuild(build) {
  const sources = hashOf(build.sources)
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const result = await runNode([vite, 'build'], { cwd: join(root, build.workspace), env: { NODE_ENV: 'production' } })
  expectSuccess(build.title, result)
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(stampFile(build), stampOf(build, sources))
}

/**
 * Names the sources' contents and the result that came of them, so that a result of another build is noticed too.
 *
 * @param {Build} build
 */
function stampOf(build, sources = hashOf(build.sources)) {
  const result = join(root, build.result)
  return existsSync(result) ? `${sources} ${statSync(result).mtimeMs}` : 'not built'
}

/** @param {Build} build */
function readStamp(build) {
  return existsSync(stampFile(build)) ? readFileSync(stampFile(build), 'utf8') : undefined
}

/** @param {Build} build */
function stampFile(build) {
  return join(cacheFolder, `${build.workspace}-build`)
}

/** @param {string[]} paths */
function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths) addToHash(hash, path)
  return hash.digest('hex')
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 */
function addToHash(hash, path) {
  const file = join(root, path)
  if (!existsSync(file)) return
  if (statSync(file).isDirectory()) {
    for (const name of readdirSync(file).sort()) addToHash(hash, `${path}/${name}`)
    return
  }
  const content = readFileSync(file)
  hash.update(`${path}\0${content.length}\0`).update(content)
}
