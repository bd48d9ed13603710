import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { readFile, open, rename, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { hasErrorCode } from './free-port.ts'
import { readServerPid, removeLockFile, POSTGRES_ENV, type Location } from './postgres-cluster.ts'
import { type ChildService } from './supervise.ts'

/** PostgreSQL's fast shutdown, then its immediate shutdown, which recovers at the next start, then the system's kill. */
const SHUTDOWN_SIGNALS = [
  { signal: 'SIGINT', millis: 20_000 },
  { signal: 'SIGQUIT', millis: 5_000 },
  { signal: 'SIGKILL', millis: 5_000 },
] as const
const ORPHAN_POLL_MILLIS = 20

/**
 * Makes sure that no server is running on a cluster: stops one that outlived its parent, waits for one that is stopping, and
 * removes a lock file whose process id now belongs to another program.
 */
async function stopOrphanedServer(cluster: string): Promise<void> {
  const pid = await readServerPid(cluster)
  if (pid === undefined || !isAlive(pid)) return
  const command = await readCommand(pid)
  if (command === undefined) return
  if (!command.includes(cluster)) return removeLockFile(cluster)
  for (const { signal, millis } of SHUTDOWN_SIGNALS) {
    if (!send(pid, signal) || (await isGone(pid, cluster, millis))) return
  }
  throw new Error(`PostgreSQL (process ${pid}) is still running on ${cluster} and cannot be stopped`)
}

async function isGone(pid: number, cluster: string, millis: number): Promise<boolean> {
  const deadline = Date.now() + millis
  while (Date.now() < deadline) {
    if (!isAlive(pid) || !(await readCommand(pid))?.includes(cluster)) return true
    await delay(ORPHAN_POLL_MILLIS)
  }
  return false
}

function isAlive(pid: number): boolean {
  return send(pid, 0)
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (hasErrorCode(error, 'ESRCH')) return false
    if (hasErrorCode(error, 'EPERM')) return signal === 0
    throw error
  }
}

/** The command line of a process: empty for a zombie, undefined if it cannot be read. */
async function readCommand(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    return execFileSync('/bin/ps', ['-o', 'command=', '-ww', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

/** How to start the server; the same for every restart. */
export interface ServerPlan {
  location: Location
  cluster: string
  /** The path of the `postgres` executable. */
  binary: string
  port: number
  /** The URL of the `postgres` database, which every cluster has. */
  adminUrl: string
}

/** The server ended before it accepted connections. `output` is what it wrote to its log. */
export class ServerStartError extends Error {
  readonly output: string

  constructor(output: string) {
    super(`PostgreSQL did not start: ${output.trim() || 'it wrote no message'}`)
    this.name = 'ServerStartError'
    this.output = output
  }
}

/**
 * The server's parent process. Its standard input is a pipe from our process. When the pipe closes, by `stop` or because our process
 * died, it stops the server, so that no server outlives us for long. It ignores the signals that a terminal or a system shutdown
 * sends to every process: our process decides when to stop.
 */
const WATCHDOG = `
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -INT "$server") &
reader=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$reader" 2>/dev/null
exit "$code"
`

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: `${bufferMegabytes()}MB`,
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  max_wal_size: '1GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  /** Leaves out the errors of statements: their callers report them, and they would fill the disk with what clients sent. */
  log_min_messages: 'log',
}

/**
 * A quarter of the machine's memory, as PostgreSQL recommends, but no more than a market of a million listings needs. The memory is
 * taken only as it is used. Reading a random page takes 180 µs of CPU with 1 GB and 300 µs with 256 MB.
 */
function bufferMegabytes(): number {
  return Math.min(1024, Math.floor(totalmem() / 4 / 1024 ** 2))
}

/** Crash recovery can take a while on a slow disk. */
const READY_MILLIS = 120_000
const POLL_MILLIS = 30
const STOP_MILLIS = 30_000
const MAX_LOG_BYTES = 1_000_000
const MAX_OUTPUT_CHARACTERS = 2_000

/**
 * Starts the server and waits until it accepts connections.
 * @throws ServerStartError if it ends before that; Error if it does not accept the password or connections
 */
export async function startServer(plan: ServerPlan): Promise<ChildService> {
  await stopOrphanedServer(plan.cluster)
  const { child, logFile, logStart } = await spawnWatchdog(plan)
  const ended = once(child, 'exit').then(() => undefined)
  try {
    await untilReady(plan.adminUrl, child)
  } catch (error) {
    await stopWatchdog(child, ended, plan.cluster)
    throw error instanceof Ended ? new ServerStartError(await outputSince(logFile, logStart)) : error
  }
  return { ended, stop: () => stopWatchdog(child, ended, plan.cluster) }
}

async function spawnWatchdog(plan: ServerPlan) {
  const logFile = join(plan.location.folder, 'postgres.log')
  const logStart = await rotateLog(logFile)
  const log = await open(logFile, 'a', 0o600)
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [plan.binary, '-D', plan.cluster, '-p', String(plan.port), ...settings]
  try {
    const child = spawn('/bin/sh', ['-c', WATCHDOG, 'postgres-watchdog', ...command], {
      ...plan.location.account,
      cwd: '/',
      env: POSTGRES_ENV,
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    })
    await once(child, 'spawn')
    child.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
    return { child, logFile, logStart }
  } finally {
    await log.close()
  }
}

/** Renames a log that has grown too long. @returns the length of the log to append to */
async function rotateLog(logFile: string): Promise<number> {
  const size = await stat(logFile).then(
    (file) => file.size,
    () => 0,
  )
  if (size <= MAX_LOG_BYTES) return size
  await rename(logFile, `${logFile}.1`)
  return 0
}

async function outputSince(logFile: string, start: number): Promise<string> {
  return (await readFile(logFile)).subarray(start).toString().slice(-MAX_OUTPUT_CHARACTERS)
}

/** `invalid_password` (PostgreSQL, appendix A). */
const WRONG_PASSWORD = '28P01'
const LOST_PASSWORD =
  'The file POSTGRES_PASSWORD does not contain the password of the database beside it. Restore the old file, or delete the data folder to start over.'

class Ended extends Error {}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_MILLIS
  for (;;) {
    const failure = await tryConnection(url)
    if (failure === undefined) return
    if (failure instanceof pg.DatabaseError && failure.code === WRONG_PASSWORD) throw new Error(LOST_PASSWORD, { cause: failure })
    if (hasEnded(child)) throw new Ended()
    if (Date.now() >= deadline) throw new Error('PostgreSQL is running but does not accept connections', { cause: failure })
    await delay(POLL_MILLIS)
  }
}

/** @returns undefined if the server accepts connections, or the error */
async function tryConnection(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000, query_timeout: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return undefined
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => undefined)
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function stopWatchdog(child: ChildProcess, ended: Promise<void>, cluster: string): Promise<void> {
  child.ref()
  child.stdin?.end()
  if (!hasEnded(child)) await Promise.race([ended, delay(STOP_MILLIS, undefined, { ref: false })])
  await stopOrphanedServer(cluster)
}
