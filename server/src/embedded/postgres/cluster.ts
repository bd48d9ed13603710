import { spawn } from 'node:child_process'
import { chmod, chown, mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { hasErrorCode } from '../error-code.ts'
import { clusterFolder, type Account, type Place } from './location.ts'
import { type Programs } from './binaries.ts'
import { syncFolder } from '../data-dir/secret-file.ts'

export const SUPERUSER = 'juicebar'

/** What PostgreSQL's programs see of our environment: none of our secrets. */
export const PROGRAM_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Makes the place's cluster where there is none, with the superuser's password, and gives its folder. A cluster appears
 * whole or not at all. Throws where the cluster is of another major version than the programs.
 */
export async function ensureCluster(place: Place, programs: Programs, password: string): Promise<string> {
  const cluster = clusterFolder(place)
  const version = await readVersion(cluster)
  if (version === undefined) await makeCluster(place, programs, password)
  else if (version !== programs.majorVersion) {
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${version}, which ${programs.majorVersion} cannot open. ` +
        `Move it over with PostgreSQL's own pg_upgrade, or set DATA_DIR to another folder.`,
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

async function makeCluster(place: Place, programs: Programs, password: string): Promise<void> {
  const draft = join(place.folder, 'cluster.draft')
  const passwordFile = join(place.folder, 'cluster.password')
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await giveTo(place.account, draft)
  try {
    await writePasswordFile(passwordFile, password, place.account)
    await runInitdb(programs.initdb, draft, passwordFile, place.account)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, clusterFolder(place))
  await syncFolder(place.folder)
}

async function writePasswordFile(path: string, password: string, account: Account | undefined): Promise<void> {
  const file = await open(path, 'w', 0o600)
  await file.writeFile(`${password}\n`)
  await file.close()
  await chmod(path, 0o600)
  await giveTo(account, path)
}

async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

async function runInitdb(initdb: string, folder: string, passwordFile: string, account: Account | undefined): Promise<void> {
  const options = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8']
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const child = spawn(initdb, ['-D', folder, ...options, ...locale], {
    ...account,
    cwd: '/',
    env: PROGRAM_ENV,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
  if (code !== 0) throw new Error(`initdb could not make a database in ${folder}: ${complaint.trim()}`)
}

/** The process id in the cluster's lock file, where there is one: of a server that runs, or that was killed. */
export async function readServerPid(cluster: string): Promise<number | undefined> {
  try {
    const pid = Number((await readFile(lockFile(cluster), 'utf8')).split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** For lock files whose process id now is another program's, which PostgreSQL itself would take for a running server. */
export async function removeLockFile(cluster: string): Promise<void> {
  await unlink(lockFile(cluster)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  })
}

function lockFile(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}
