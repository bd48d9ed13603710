import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { type Part } from '../supervise.ts'
import { PROGRAM_ENV } from './cluster.ts'
import { stopLeftoverServer } from './orphaned-server.ts'
import { type Place } from './location.ts'

/** How a server is started; the same for every restart of it. */
export interface ServerPlan {
  place: Place
  cluster: string
  /** The `postgres` program. */
  program: string
  port: number
  /** Connects to the database that every cluster has. */
  adminUrl: string
}

/** The server ended before it took connections. `complaint` is what it wrote to its log. */
export class ServerRefusal extends Error {
  readonly complaint: string

  constructor(complaint: string) {
    super(`PostgreSQL did not start: ${complaint.trim() || 'it said nothing'}`)
    this.name = 'ServerRefusal'
    this.complaint = complaint
  }
}

/**
 * Runs as the parent of the server. Its input is a pipe from our process: when that closes, by `stop` or by our death of
 * any kind, it has the server stop, so no server outlives us for long. It ignores what a terminal or a system that
 * shuts down sends to everybody, since our process decides when to stop.
 */
const KEEPER = `
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
  /** Above errors of statements, which are their caller's to tell and would fill the disk with what players sent. */
  log_min_messages: 'log',
}

/**
 * A quarter of the machine's memory, as PostgreSQL advises, and no more than a market of a million lots makes use of. It is taken only as
 * it is used. With it a page at random costs the database 180 CPU µs in place of 300 with 256 MB.
 */
function bufferMegabytes(): number {
  return Math.min(1024, Math.floor(totalmem() / 4 / 1024 ** 2))
}

/** Replaying what a crash left can take a while on a slow disk. */
const READY_MILLIS = 120_000
const LOOK_AGAIN_MILLIS = 30
const STOP_MILLIS = 30_000
const MAX_LOG_BYTES = 1_000_000
const MAX_COMPLAINT_CHARACTERS = 2_000

/**
 * Starts the server and waits until it takes connections. Throws `ServerRefusal` where it ends before that, and a sentence where the
 * password is another one.
 */
export async function startServer(plan: ServerPlan): Promise<Part> {
  await stopLeftoverServer(plan.cluster)
  const { child, logFile, logStart } = await spawnKeeper(plan)
  const ended = once(child, 'exit').then(() => undefined)
  try {
    await untilReady(plan.adminUrl, child)
  } catch (error) {
    await stopKeeper(child, ended, plan.cluster)
    throw error instanceof Ended ? new ServerRefusal(await complaintSince(logFile, logStart)) : error
  }
  return { ended, stop: () => stopKeeper(child, ended, plan.cluster) }
}

async function spawnKeeper(plan: ServerPlan) {
  const logFile = join(plan.place.folder, 'postgres.log')
  const logStart = await makeRoom(logFile)
  const log = await open(logFile, 'a', 0o600)
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [plan.program, '-D', plan.cluster, '-p', String(plan.port), ...settings]
  try {
    const child = spawn('/bin/sh', ['-c', KEEPER, 'postgres-keeper', ...command], {
      ...plan.place.account,
      cwd: '/',
      env: PROGRAM_ENV,
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

/** Sets a log that has grown too long aside, and gives the length of the one to go on with. */
async function makeRoom(logFile: string): Promise<number> {
  const size = await stat(logFile).then(
    (file) => file.size,
    () => 0,
  )
  if (size <= MAX_LOG_BYTES) return size
  await rename(logFile, `${logFile}.1`)
  return 0
}

async function complaintSince(logFile: string, start: number): Promise<string> {
  return (await readFile(logFile)).subarray(start).toString().slice(-MAX_COMPLAINT_CHARACTERS)
}

/** `invalid_password` (PostgreSQL, appendix A). */
const WRONG_PASSWORD = '28P01'
const LOST_PASSWORD =
  'The file POSTGRES_PASSWORD does not hold the password of the database beside it. Put the old file back, or remove the data folder to begin anew.'

class Ended extends Error {}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_MILLIS
  for (;;) {
    const refusal = await tryConnection(url)
    if (refusal === undefined) return
    if (refusal instanceof pg.DatabaseError && refusal.code === WRONG_PASSWORD) throw new Error(LOST_PASSWORD, { cause: refusal })
    if (hasEnded(child)) throw new Ended()
    if (Date.now() >= deadline) throw new Error('PostgreSQL runs but takes no connections', { cause: refusal })
    await delay(LOOK_AGAIN_MILLIS)
  }
}

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

async function stopKeeper(child: ChildProcess, ended: Promise<void>, cluster: string): Promise<void> {
  child.ref()
  child.stdin?.end()
  if (!hasEnded(child)) await Promise.race([ended, delay(STOP_MILLIS, undefined, { ref: false })])
  await stopLeftoverServer(cluster)
}
