import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { type Sample } from './comparison.ts'

const run = promisify(execFile)

/** PostgreSQL's own load generator, which takes less of the machine than any client of ours. */
export interface Pgbench {
  /** Runs the scripts in random order, as prepared statements, on `clients` connections. `options` are PostgreSQL's. */
  run(
    database: { url: string; options?: string },
    scripts: readonly string[],
    clients: number,
    until: { seconds: number } | { transactions: number },
  ): Promise<Sample>
}

/** @returns undefined if pgbench is not installed; PostgreSQL's npm package does not include it */
export async function findPgbench(): Promise<Pgbench | undefined> {
  try {
    await run('pgbench', ['--version'])
  } catch {
    return undefined
  }
  return { run: runScripts }
}

const runScripts: Pgbench['run'] = async ({ url, options = '' }, scripts, clients, until) => {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-pgbench-'))
  try {
    const files = scripts.map((_, index) => join(folder, `${index}.sql`))
    await Promise.all(files.map((file, index) => writeFile(file, scripts[index] ?? '')))
    const length = 'seconds' in until ? ['-T', String(until.seconds)] : ['-t', String(Math.ceil(until.transactions / clients))]
    const prepared = ['-n', '-M', 'prepared', '-c', String(clients), ...length]
    const { stdout } = await run('pgbench', [...prepared, ...files.flatMap((file) => ['-f', file]), url], {
      env: { ...process.env, PGOPTIONS: options },
    })
    const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
    if (!rate || !/^number of failed transactions: 0 /m.test(stdout)) throw new Error(`pgbench failed: ${stdout}`)
    return { perSecond: Number(rate), millis: [] }
  } finally {
    await rm(folder, { recursive: true })
  }
}
