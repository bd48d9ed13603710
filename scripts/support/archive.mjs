import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { create } from 'tar'

import { root, run, StepFailed } from './run.mjs'
import { runtimePackages } from './runtime-packages.mjs'

/**
 * The parts of the checkout in the archive, at the same paths; `.` means files only. The rest of `server/` and `web/` is bundled into
 * `dist`.
 */
const CONTENTS = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'deploy',
  'docs',
  'examples',
  'scripts/start-archive.mjs',
  'scripts/support/node-version.mjs',
  'server/dist',
  'server/catalogue',
  'server/functions',
  'server/migrations',
  'web/dist',
]
/** See `external` in server/vite.config.ts. */
const NOT_BUNDLED = ['@fastify/swagger-ui']
/** Where the archive has the client for game servers: where Node.js looks for what the example game imports. */
const CLIENT = 'node_modules/@juicebar/client'
/** The stamp of a build, and the parts of packages that are never run, except of the client: a game's authors read those. */
const LEFT_OUT = /(?:^|\/)\.|node_modules\/(?!@juicebar\/).*(?:\/(?:test|tests|examples|e2e)\/|\.(?:map|md|markdown|[cm]?tsx?)$)/
const LICENSE = /\/licen[cs]e[^/]*$/i

const PLAIN = 0o644
const EXECUTABLE = 0o755

/** @typedef {{ file: string, bytes: number, unpackedBytes: number, files: number }} Archive */

/**
 * Writes `juicebar-<version>.tar.gz` into the checkout: everything that a server needs besides Node.js, a database and a chain. The same
 * sources give the same bytes: entries are sorted, and have no owner and the time of the last commit.
 *
 * @returns {Promise<Archive>}
 * @throws {StepFailed} if the time of the sources is unknown
 */
export async function writeArchive() {
  const { name, version, license, engines } = await readPackage(join(root, 'package.json'))
  const top = `${name}-${version}`
  const file = join(root, `${top}.tar.gz`)
  const mtime = await timeOfSources()
  const staging = await mkdtemp(join(tmpdir(), 'juicebar-pack-'))
  try {
    const folder = join(staging, top)
    const client = await readPackage(join(root, 'client/package.json'))
    const paths = [...CONTENTS, ...runtimePackages(root, [...NOT_BUNDLED, ...Object.keys(client.dependencies)])]
    for (const path of paths) await copy(join(root, path), folder, path)
    await addClient(folder, client)
    const scripts = { start: 'exec node start.mjs', audit: 'exec node start.mjs audit', studio: 'exec node start.mjs studio' }
    await write(
      folder,
      'package.json',
      JSON.stringify({ name, version, private: true, license, type: 'module', engines, scripts }, null, 2),
    )
    await write(
      folder,
      'server/package.json',
      JSON.stringify({ name: '@juicebar/server', version, private: true, type: 'module' }, null, 2),
    )
    await write(folder, 'start.mjs', "import './scripts/start-archive.mjs'")
    const entries = await readdir(staging, { recursive: true, withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    // Without their own entries, folders get a mode chosen when unpacking: from the umask or by Docker, which with some versions makes them
    // inaccessible.
    for (const path of folders) await chmod(path, EXECUTABLE)
    const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
    const names = [...folders.map((path) => `${path}/`), ...files].map((path) => path.slice(staging.length + 1)).sort()
    await create({ file, cwd: staging, gzip: { level: 9 }, portable: true, mtime, noDirRecurse: true }, names)
    return { file, bytes: (await stat(file)).size, unpackedBytes: sizes.reduce((sum, size) => sum + size, 0), files: files.length }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/**
 * The time of the last commit: servers tell browsers by the time of a file that it has changed, so versions need different ones.
 * `SOURCE_DATE_EPOCH` (https://reproducible-builds.org/specs/source-date-epoch/) replaces it, for sources without git.
 */
async function timeOfSources() {
  const given = process.env.SOURCE_DATE_EPOCH
  const { code, output } = given === undefined ? await run(['git', 'log', '-1', '--format=%ct']) : { code: 0, output: given }
  const seconds = Number(output.trim() || Number.NaN)
  if (code === 0 && Number.isInteger(seconds)) return new Date(seconds * 1000)
  throw new StepFailed('Packing', `The time of these sources is unknown: set SOURCE_DATE_EPOCH to it, in seconds since 1970.\n${output}`)
}

/**
 * Copies a file or a folder, without what is left out and without the packages inside a package.
 *
 * @param {string} from
 * @param {string} folder of the archive
 * @param {string} path in the archive
 */
async function copy(from, folder, path) {
  if (!(await stat(from)).isDirectory()) return copyOne(from, join(folder, path))
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const inside = `${path}/${entry.name}`
    const isLeftOut = LEFT_OUT.test(entry.isDirectory() ? `${inside}/` : inside) && !LICENSE.test(inside)
    if (isLeftOut || entry.name === 'node_modules') continue
    await copy(join(from, entry.name), folder, inside)
  }
}

/**
 * Adds the client as a package that can be packed again for a game elsewhere, so without the scripts that build it.
 *
 * @param {string} folder of the archive
 * @param {{ files: string[], scripts: object, devDependencies: object }} client its package.json
 */
async function addClient(folder, { scripts: _scripts, devDependencies: _devDependencies, ...client }) {
  for (const path of client.files) await copy(join(root, 'client', path), folder, `${CLIENT}/${path}`)
  await write(folder, `${CLIENT}/package.json`, JSON.stringify(client, null, 2))
}

/**
 * @param {string} from
 * @param {string} to
 */
async function copyOne(from, to) {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  // The umask with which the checkout was made is not part of the sources.
  await chmod(to, ((await stat(from)).mode & 0o100) === 0 ? PLAIN : EXECUTABLE)
}

/**
 * @param {string} folder
 * @param {string} path
 * @param {string} text
 */
async function write(folder, path, text) {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${text}\n`)
  await chmod(file, PLAIN)
}

/** @param {string} file */
async function readPackage(file) {
  return JSON.parse(await readFile(file, 'utf8'))
}
