import { fastify as createFastify } from 'fastify'
import pg from 'pg'

/** The least that a server with a database does at its start: it loads its framework and driver, and answers with one query. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] })
const fastify = createFastify()
fastify.get('/*', async () => (await pool.query('select 1 as one')).rows)
await fastify.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
