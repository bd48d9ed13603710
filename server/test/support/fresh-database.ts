import pg from 'pg'
import { randomBytes } from 'node:crypto'
import { migrate } from '../../src/database/migrate.ts'
export async function freshDatabase() {
  const name = `t_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client('postgres://juicebar@127.0.0.1:25432/postgres'); await admin.connect()
  await admin.query(`create database ${name}`)
  const url = `postgres://juicebar@127.0.0.1:25432/${name}`
  const pool = new pg.Pool({ connectionString: url }); await migrate(pool, new URL('../../migrations', import.meta.url).pathname); await pool.end()
  return { url, drop: async () => { await admin.query(`drop database ${name} with (force)`); await admin.end() } }
}
