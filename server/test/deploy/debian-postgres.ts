import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import pg from 'pg'

import { findFreePort } from '../../src/embedded/free-port.ts'
import { SUPERUSER } from '../../src/embedded/postgres/cluster.ts'
import { chooseLocation, clusterFolder } from '../../src/embedded/postgres/location.ts'
import { startServer } from '../../src/embedded/postgres/server.ts'

/** Debian's PostgreSQL, which has the programs for backups that the embedded one lacks. */
export interface DebianPostgres {
  /** What its programs need in order to connect. */
  environment: { PATH: string; PGHOST: string; PGPORT: string; PGUSER: string }
  url(database: string): string
  query<Row extends pg.QueryResultRow>(database: string, sql: string): Promise<Row[]>
  stop(): Promise<void>
}

/** @param programs the folder of `initdb`, `postgres`, `pg_dump` and so on */
export async function startDebianPostgres(programs: string): Promise<DebianPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-debian-'))
  const location = await chooseLocation(folder)
  const cluster = clusterFolder(location)
  const account = location.account && { uid: location.account.uid, gid: location.account.gid }
  if (account) execFileSync('chown', [`${account.uid}:${account.gid}`, location.folder])
  const initdb = ['-D', cluster, `--username=${SUPERUSER}`, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
  execFileSync(join(programs, 'initdb'), initdb, { cwd: '/', stdio: 'pipe', ...account })
  const port = await findFreePort()
  const url = (database: string) => `postgresql://${SUPERUSER}@127.0.0.1:${port}/${database}`
  const server = await startServer({ location, cluster, binary: join(programs, 'postgres'), port, adminUrl: url('postgres') })
  return {
    environment: { PATH: `${programs}:${process.env['PATH']}`, PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: SUPERUSER },
    url,
    query: async (database, sql) => {
      const client = new pg.Client({ connectionString: url(database) })
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    },
    stop: async () => {
      await server.stop()
      await rm(location.folder, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    },
  }
}
