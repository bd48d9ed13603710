import { spawnSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, realpath, rm, stat, chown, mkdir, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode } from './free-port.ts'
import { writeFileAtomically, syncFolder } from './data-dir.ts'
import { type Binaries } from './postgres-binaries.ts'

/** The user that PostgreSQL runs as. */
export interface Account {
  uid: number
  gid: number
}

/** The folder of PostgreSQL's binaries and cluster. `account` owns the cluster; undefined if this process's own user does. */
export interface Location {
  folder: string
  account: Account | undefined
}

/** The file in the data folder that names the location, if it is another folder. */
const POINTER = 'postgres-place'
const OTHER_FOLDERS = ['/var/lib/juicebar-', '/var/tmp/juicebar-']
const OWNER_ONLY = 0o700
const PASS_THROUGH = 0o711

/**
 * Chooses the location of a data folder's database. For an ordinary user it is the data folder. PostgreSQL refuses to run as root,
 * so root runs it as an unprivileged account. If that account cannot reach the data folder, for example under /root, another
 * folder is created once and noted in the data folder.
 */
export async function chooseLocation(dataDir: string): Promise<Location> {
  const folder = await realpath(dataDir)
  if (process.geteuid?.() !== 0) return { folder, account: undefined }
  const noted = await readPointer(folder)
  if (noted !== undefined) return { folder: noted, account: (await clusterOwner(noted)) ?? (await unprivilegedAccount()) }

  const owner = await clusterOwner(folder)
  const account = owner ?? (await unprivilegedAccount())
  if (await allowTraversal(folder, account)) return { folder, account }
  if (owner) throw new Error(`The database in ${folder} belongs to the user ${owner.uid}, who can no longer reach that folder.`)
  const other = await createReachableFolder(account)
  await writeFileAtomically(join(folder, POINTER), `${other}\n`)
  return { folder: other, account }
}

export function clusterFolder(location: Location): string {
  return join(location.folder, 'cluster')
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  const pointer = join(dataDir, POINTER)
  try {
    const folder = (await readFile(pointer, 'utf8')).trim()
    await stat(folder).catch((cause: unknown) => {
      throw new Error(
        `The database of ${dataDir} was in ${folder}, which no longer exists. Delete ${pointer} to start with an empty database.`,
        { cause },
      )
    })
    return folder
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function clusterOwner(folder: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(join(folder, 'cluster'))
    return uid === 0 ? undefined : { uid: signed(uid), gid: signed(gid) }
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** `nobody`, the unprivileged account that every Unix has. PostgreSQL needs an account with a name. */
async function unprivilegedAccount(): Promise<Account> {
  const accounts = await readFile('/etc/passwd', 'utf8')
  const [, , uid, gid] =
    accounts
      .split('\n')
      .map((line) => line.split(':'))
      .find(([name]) => name === 'nobody') ?? []
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, and there is no account "nobody" to run it as. Start as an ordinary user, or set DATABASE_URL.',
    )
  }
  return { uid: signed(Number(uid)), gid: signed(Number(gid)) }
}

/** Ids as Node's `spawn` expects them: on macOS `nobody` is -2, which `stat` reports as 4294967294. */
function signed(id: number): number {
  return id | 0
}

/** Lets an account traverse the folder but not list it. @returns false if it cannot reach the folder even so */
async function allowTraversal(folder: string, account: Account): Promise<boolean> {
  const before = (await stat(folder)).mode & 0o777
  await chmod(folder, before | PASS_THROUGH)
  if (canReach(folder, account)) return true
  await chmod(folder, before)
  return false
}

/** Tries it as that account, because access lists and mounts matter as well as modes. */
function canReach(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

async function createReachableFolder(account: Account): Promise<string> {
  for (const prefix of OTHER_FOLDERS) {
    const folder = await mkdtemp(prefix).catch(() => undefined)
    if (folder === undefined) continue
    await chmod(folder, OWNER_ONLY)
    if (await allowTraversal(folder, account)) return folder
    await rm(folder, { recursive: true })
  }
  throw new Error(
    'PostgreSQL does not run as root, and no folder was found that another account can reach. Start as an ordinary user, or set DATABASE_URL.',
  )
}

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
