import { readdir, readFile } from 'node:fs/promises'

import type pg from 'pg'

/** Of the clock in which Linux counts the CPU time of processes: 100 a second on every machine that runs Node.js. */
const MILLIS_PER_TICK = 10

/** CPU milliseconds that the process `pid` has used so far; NaN on systems without `/proc`. */
export async function processCpu(pid: number): Promise<number> {
  const fields = await readStat(pid)
  return fields ? (fields.user + fields.system) * MILLIS_PER_TICK : NaN
}

/** CPU milliseconds that a PostgreSQL server on this machine has used so far, all of its processes together. */
export async function postgresCpu(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: string }>(`select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`)
  const postmaster = Number(rows[0]?.pid)
  const own = await readStat(postmaster)
  if (!own) return NaN
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const children = (await Promise.all(pids.map((pid) => readStat(Number(pid))))).filter((stat) => stat?.parent === postmaster)
  const ticks = children.reduce((sum, stat) => sum + (stat?.user ?? 0) + (stat?.system ?? 0), own.user + own.system + own.ended)
  return ticks * MILLIS_PER_TICK
}

interface Stat {
  parent: number
  user: number
  system: number
  /** Of children that have ended. */
  ended: number
}

async function readStat(pid: number): Promise<Stat | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain anything; the fields after it are numbers (proc_pid_stat(5), from field 3 on).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = NaN] = fields
    const [user = NaN, system = NaN, endedUser = NaN, endedSystem = NaN] = fields.slice(11, 15)
    return { parent, user, system, ended: endedUser + endedSystem }
  } catch {
    return undefined
  }
}
