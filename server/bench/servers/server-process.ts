import { once } from 'node:events'

import { fastify as createFastify } from 'fastify'
import pg from 'pg'

import { startProduct } from './product-server.ts'
import { type Role } from './role.ts'

process.once('disconnect', () => process.exit())
const [role]: Role[] = await once(process, 'message')
if (role) process.send?.(await start(role))

function start(role: Role): Promise<number> {
  switch (role.role) {
    case 'product':
      return startProduct(role)
    case 'bare':
      return startBareFastify(role.body)
    case 'writes':
      return startWriting(role.databaseUrl, role.perSecond)
  }
}

/** The least that any Fastify server does: it always replies with the same bytes. */
async function startBareFastify(body: string): Promise<number> {
  const fastify = createFastify()
  fastify.get('/*', (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(body)
  })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  return Number(new URL(fastify.listeningOrigin).port)
}

/** Updates listings and emits their events, as another server on the same database does. */
async function startWriting(databaseUrl: string, perSecond: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  const { rows } = await pool.query<{ id: string }>(`select id from listings where status = 'active' order by id desc limit 1000`)
  let turn = 0
  setInterval(() => {
    const id = rows[turn++ % rows.length]?.id
    void pool.query(`update listings l set held_by = null where id = $1 returning emit_listing('listing.released', l)`, [id])
  }, 1000 / perSecond)
  return 0
}
