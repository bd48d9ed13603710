import { spawn } from 'node:child_process'
import { chmod, chown, mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { hasErrorCode } from '../error-code.ts'
import { type Account, clusterFolder, type Location } from './location.ts'
import { type Binaries } from './binaries.ts'
import { syncFolder } from '../data-dir/secret-file.ts'

export const SUPERUSER = 'juicebar'

/** The environment of PostgreSQL's processes. It contains none of our secrets. */
export const POSTGRES_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Creates the cluster if there is none; `password` becomes its superuser's. A cluster is created completely or not at all.
 * @throws Error if another major version of PostgreSQL created the cluster
 * @returns the cluster's folder
 */
export async function ensureCluster(location: Location, binaries: Binaries, password: string): Promise<string> {
  const cluster = clusterFolder(location)
  const version = await readVersion(cluster)
  if (version === undefined) await createCluster(location, binaries, password)
  else if (version !== binaries.majorVersion) {
    throw new Error(
      `The database in ${cluster} was created by PostgreSQL ${version}, and ${binaries.majorVersion} cannot open it. ` +
        `Upgrade it with pg_upgrade, or set DATA_DIR to another folder.`,
    )
  }
  return cluster
}

async function readVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function createCluster(location: Location, binaries: Binaries, password: string): Promise<void> {
  const draft = join(location.folder, 'cluster.draft')
  const passwordFile = join(location.folder, 'cluster.password')
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await changeOwner(draft, location.account)
  try {
    await writePasswordFile(passwordFile, password, location.account)
    await runInitdb(binaries.initdb, draft, passwordFile, location.account)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, clusterFolder(location))
  await syncFolder(location.folder)
}

async function writePasswordFile(path: string, password: string, account: Account | undefined): Promise<void> {
  const file = await open(path, 'w', 0o600)
  await file.writeFile(`${password}\n`)
  await file.close()
  await chmod(path, 0o600)
  await changeOwner(path, account)
}

async function changeOwner(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

async function runInitdb(initdb: string, folder: string, passwordFile: string, account: Account | undefined): Promise<void> {
  const options = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8']
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const child = spawn(initdb, ['-D', folder, ...options, ...locale], {
    ...account,
    cwd: '/',
    env: POSTGRES_ENV,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
  if (code !== 0) throw new Error(`initdb could not create a database in ${folder}: ${stderr.trim()}`)
}

/** The process id in the cluster's lock file: of a server that is running or was killed. Undefined if there is no lock file. */
export async function readServerPid(cluster: string): Promise<number | undefined> {
  try {
    const pid = Number((await readFile(lockFile(cluster), 'utf8')).split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Removes a lock file whose process id now belongs to another program. PostgreSQL would treat that program as a running server. */
export async function removeLockFile(cluster: string): Promise<void> {
  await unlink(lockFile(cluster)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  })
}

function lockFile(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}
