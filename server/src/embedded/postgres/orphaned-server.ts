import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import { hasErrorCode } from '../error-code.ts'
import { readServerPid, removeLockFile } from './cluster.ts'

/**
 * PostgreSQL's three ways to stop, the gentlest first, each with the time it gets: ending its sessions, dying and
 * recovering at the next start, and the system's own.
 */
const WAYS_TO_STOP = [
  { signal: 'SIGINT', millis: 20_000 },
  { signal: 'SIGQUIT', millis: 5_000 },
  { signal: 'SIGKILL', millis: 5_000 },
] as const
const LOOK_AGAIN_MILLIS = 20

/**
 * Makes sure that no server runs on a cluster: stops one that outlived its parent, waits for one that is stopping, and
 * clears away a lock file whose process id belongs to another program by now.
 */
export async function stopLeftoverServer(cluster: string): Promise<void> {
  const pid = await readServerPid(cluster)
  if (pid === undefined || !isAlive(pid)) return
  const command = await readCommand(pid)
  if (command === undefined) return
  if (!command.includes(cluster)) return removeLockFile(cluster)
  for (const { signal, millis } of WAYS_TO_STOP) {
    if (!send(pid, signal) || (await isGone(pid, cluster, millis))) return
  }
  throw new Error(`process ${pid} still runs PostgreSQL on ${cluster} and cannot be stopped`)
}

async function isGone(pid: number, cluster: string, millis: number): Promise<boolean> {
  const deadline = Date.now() + millis
  while (Date.now() < deadline) {
    if (!isAlive(pid) || !(await readCommand(pid))?.includes(cluster)) return true
    await delay(LOOK_AGAIN_MILLIS)
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

/** The command line of a process: empty for one that has ended but was not collected, undefined where it cannot be read. */
async function readCommand(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    return execFileSync('/bin/ps', ['-o', 'command=', '-ww', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}
