import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'

/** The database of a stack. */
export interface StackDatabase {
  /** For the servers. */
  serversUrl: string
  /** For those who watch: it stays out of the faults between servers and database. */
  url: string
  stop(): Promise<void>
}

/** One PostgreSQL, the embedded one. */
export interface SingleDatabase extends StackDatabase {
  /** Kills PostgreSQL with SIGKILL. It restarts by itself and recovers from its write-ahead log. */
  kill(): Promise<void>
}

export async function startSingleDatabase(folder: string): Promise<SingleDatabase> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: pino({ level: 'silent' }) })
  return { serversUrl: url, url, kill: () => killPostmaster(url), stop }
}

/** Reads the process id from the first line of PostgreSQL's lock file. */
async function killPostmaster(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`)
    const pid = Number(rows[0]?.text.split('\n')[0])
    if (Number.isInteger(pid) && pid > 1) process.kill(pid, 'SIGKILL')
  } finally {
    await client.end().catch(() => undefined)
  }
}
