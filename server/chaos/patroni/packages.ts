import { readdirSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The programs that a cluster consists of. */
export interface Programs {
  etcd: string
  patroni: string
  haproxy: string
  /** The folder of PostgreSQL's programs, among them `pg_basebackup` and `pg_rewind`. */
  postgresFolder: string
}

interface Places {
  /** Folders of programs, as in PATH. */
  path: string
  /** Where Debian installs PostgreSQL: a folder for each major version. */
  postgres: string
}

/** The oldest version that the product supports. */
const POSTGRES_VERSION = 15
/** Debian installs HAProxy where only root looks for programs. */
const SYSTEM_FOLDERS = ['/usr/bin', '/usr/sbin']

/** @throws Error with a sentence for whoever started the run, if this machine lacks one */
export async function findPrograms({ path, postgres }: Places = standardPlaces()): Promise<Programs> {
  const folders = path.split(delimiter)
  const [etcd, patroni, haproxy] = await Promise.all(['etcd', 'patroni', 'haproxy'].map((name) => findProgram(name, folders)))
  const postgresFolder = newestPostgres(postgres)
  if (etcd && patroni && haproxy && postgresFolder) return { etcd, patroni, haproxy, postgresFolder }
  const packages = [
    etcd === undefined && 'etcd-server',
    patroni === undefined && 'patroni',
    haproxy === undefined && 'haproxy',
    postgresFolder === undefined && `postgresql-${POSTGRES_VERSION}`,
  ]
  throw new Error(whatIsMissing(packages.filter((name) => name !== false)))
}

function whatIsMissing(packages: readonly string[]): string {
  const [verb, which] = packages.length === 1 ? ['is', "Debian's package"] : ['are', "Debian's packages"]
  return (
    `A run on Patroni needs ${which} ${inWords(packages)}, which ${verb} not installed here: apt-get install ${packages.join(' ')}. ` +
    'None of their services needs to run.'
  )
}

function standardPlaces(): Places {
  return { path: [process.env['PATH'] ?? '', ...SYSTEM_FOLDERS].join(delimiter), postgres: '/usr/lib/postgresql' }
}

/** @param folders where Debian's packages put programs, unless others are named */
export async function findProgram(name: string, folders = standardPlaces().path.split(delimiter)): Promise<string | undefined> {
  for (const folder of folders) {
    const program = join(folder, name)
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return undefined
}

/** The programs of the newest version that the product supports, in Debian's folder of versions. */
export function newestPostgres(folder = standardPlaces().postgres): string | undefined {
  const versions = foldersIn(folder)
    .map(Number)
    .filter((version) => version >= POSTGRES_VERSION)
    .toSorted((a, b) => b - a)
  return versions[0] === undefined ? undefined : join(folder, String(versions[0]), 'bin')
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
