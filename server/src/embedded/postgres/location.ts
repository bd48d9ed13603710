import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { hasErrorCode } from '../error-code.ts'
import { writeFileSafely } from '../data-dir/secret-file.ts'

/** Whom PostgreSQL runs as. */
export interface Account {
  uid: number
  gid: number
}

/** Where PostgreSQL's programs and its cluster are kept, and the account that owns the cluster; undefined for our own. */
export interface Place {
  folder: string
  account: Account | undefined
}

/** Says where the place is, where that is not the data folder itself. */
const POINTER = 'postgres-place'
const OTHER_FOLDERS = ['/var/lib/juicebar-', '/var/tmp/juicebar-']
const OWNER_ONLY = 0o700
const PASS_THROUGH = 0o711

/**
 * Finds the place of a data folder's database. An ordinary user keeps everything in the data folder. Root cannot run
 * PostgreSQL, so it lends it to an unprivileged account, which must be able to reach the place: under /root, or wherever
 * it cannot, another folder is made once and noted in the data folder.
 */
export async function choosePlace(dataDir: string): Promise<Place> {
  const folder = await realpath(dataDir)
  if (process.geteuid?.() !== 0) return { folder, account: undefined }
  const noted = await readPointer(folder)
  if (noted !== undefined) return { folder: noted, account: (await clusterOwner(noted)) ?? (await unprivilegedAccount()) }

  const owner = await clusterOwner(folder)
  const account = owner ?? (await unprivilegedAccount())
  if (await openUp(folder, account)) return { folder, account }
  if (owner) throw new Error(`The database in ${folder} belongs to the account ${owner.uid}, which cannot reach that folder any more.`)
  const other = await makeReachableFolder(account)
  await writeFileSafely(join(folder, POINTER), `${other}\n`)
  return { folder: other, account }
}

/** The cluster's folder inside a place. */
export function clusterFolder(place: Place): string {
  return join(place.folder, 'cluster')
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  const pointer = join(dataDir, POINTER)
  try {
    const folder = (await readFile(pointer, 'utf8')).trim()
    await stat(folder).catch((cause: unknown) => {
      throw new Error(
        `The database of ${dataDir} is kept in ${folder}, which is not there any more. Delete ${pointer} to begin with an empty one.`,
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

/** `nobody`, the one account without rights that every Unix has. PostgreSQL needs an account with a name. */
async function unprivilegedAccount(): Promise<Account> {
  const accounts = await readFile('/etc/passwd', 'utf8')
  const [, , uid, gid] =
    accounts
      .split('\n')
      .map((line) => line.split(':'))
      .find(([name]) => name === 'nobody') ?? []
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, and there is no account "nobody" to lend it to: start as an ordinary user, or set DATABASE_URL.',
    )
  }
  return { uid: signed(Number(uid)), gid: signed(Number(gid)) }
}

/** Ids as Node's `spawn` takes them: macOS has -2 for `nobody`, which `stat` tells as 4294967294. */
function signed(id: number): number {
  return id | 0
}

/** Lets an account pass through a folder of ours; what is inside stays closed to it. False where the way there is closed. */
async function openUp(folder: string, account: Account): Promise<boolean> {
  const before = (await stat(folder)).mode & 0o777
  await chmod(folder, before | PASS_THROUGH)
  if (canReach(folder, account)) return true
  await chmod(folder, before)
  return false
}

/** Tries it as that account: access lists and mounts count too, not only the modes. */
function canReach(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

async function makeReachableFolder(account: Account): Promise<string> {
  for (const prefix of OTHER_FOLDERS) {
    const folder = await mkdtemp(prefix).catch(() => undefined)
    if (folder === undefined) continue
    await chmod(folder, OWNER_ONLY)
    if (await openUp(folder, account)) return folder
    await rm(folder, { recursive: true })
  }
  throw new Error(
    'PostgreSQL does not run as root, and no folder was found that another account can reach: start as an ordinary user, or set DATABASE_URL.',
  )
}
