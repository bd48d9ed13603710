import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { hasErrorCode } from '../error-code.ts'
import { readServerPid, removeLockFile } from './cluster.ts'

/** PostgreSQL's fast shutdown, then its immediate shutdown, which recovers at the next start, then the system's kill. */
const SHUTDOWN_SIGNALS = [
  { signal: 'SIGINT', millis: 20_000 },
  { signal: 'SIGQUIT', millis: 5_000 },
  { signal: 'SIGKILL', millis: 5_000 },
] as const
const POLL_MILLIS = 20

/**
 * Makes sure that no server is running on a cluster: stops one that outlived its parent, waits for one that is stopping, and
 * removes a lock file whose process id now belongs to another program.
 */
export async function stopOrphanedServer(cluster: string): Promise<void> {
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
    await delay(POLL_MILLIS)
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
