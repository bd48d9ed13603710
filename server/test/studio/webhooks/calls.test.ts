import { MAX_WEBHOOKS } from '@juicebar/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type FreshDatabase, freshDatabase } from '../../support/fresh-database.ts'
import { startApp, studioApiKey } from '../../support/start-app.ts'
import { waiting } from './webhook-world.ts'

const nobody = '01a1f7d2-f049-703c-aa02-0770f4434472'
const hook = { url: 'https://game.example/hook', events: ['sale.settled'] }

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))
afterAll(() => fresh.drop())

async function openCalls() {
  const { origin, get, connection } = await startApp(fresh.url)
  await expect.poll(async () => (await get('/health/ready')).status, waiting).toBe(200)
  await connection.pool.query('truncate webhooks cascade')
  const call = async (method: string, path: string, body?: unknown, key: string | undefined = studioApiKey) => {
    const reply = await fetch(`${origin}/api/studio/webhooks${path}`, {
      method,
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: JSON.parse(await reply.text()) }
  }
  return { call, pool: connection.pool }
}

describe('the calls of webhooks', () => {
  it('make one, list it, switch it, rotate its secret and delete it; a secret is shown once, and each write is in the log', async () => {
    const { call, pool } = await openCalls()
    const made = await call('POST', '', hook)
    expect(made).toMatchObject({
      status: 201,
      body: { webhook: { ...hook, enabled: true, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) } },
    })
    const { secret, ...webhook } = made.body.webhook
    expect(await call('GET', '')).toEqual({ status: 200, body: { webhooks: [webhook], nextCursor: null } })
    expect(await call('PUT', `/${webhook.id}`, { enabled: false })).toMatchObject({
      status: 200,
      body: { webhook: { enabled: false, switchedOff: 'asked' } },
    })
    expect(await call('PUT', `/${webhook.id}`, { enabled: true })).toMatchObject({ status: 200, body: { webhook: { enabled: true } } })
    const rotated = await call('POST', `/${webhook.id}/rotate`)
    expect(rotated).toEqual({ status: 200, body: { webhook: { id: webhook.id, secret: expect.stringMatching(/^whsec_/) } } })
    expect(rotated.body.webhook.secret).not.toBe(secret)
    expect(await call('GET', '')).toMatchObject({ body: { webhooks: [{ secretCount: 2 }] } })
    expect(await call('GET', `/${webhook.id}/deliveries`)).toEqual({ status: 200, body: { deliveries: [], nextCursor: null } })
    expect(await call('DELETE', `/${webhook.id}`)).toMatchObject({ status: 200, body: { webhook: { id: webhook.id } } })
    expect(await call('GET', '')).toEqual({ status: 200, body: { webhooks: [], nextCursor: null } })
    const { rows } = await pool.query('select call from studio_log where subject = $1 order by id', [webhook.id])
    expect(rows.map(({ call: name }) => name)).toEqual([
      'createWebhook',
      'changeWebhook',
      'changeWebhook',
      'rotateWebhook',
      'deleteWebhook',
    ])
  })

  it('refuse what is wrong', async () => {
    const { call } = await openCalls()
    const refused = (status: number, code: string) => ({ status, body: { code } })
    for (const body of [
      { ...hook, events: [] },
      { ...hook, events: ['nothing'] },
      { ...hook, events: ['sale.settled', 'sale.settled'] },
      { ...hook, secret: 'x' },
    ]) {
      expect(await call('POST', '', body)).toMatchObject({ status: 400 })
    }
    expect(await call('POST', '', { ...hook, url: `https://game.example/${'x'.repeat(3_000)}` })).toMatchObject({ status: 400 })
    for (const url of ['ftp://game.example', 'http://2130706433/', 'http://[::ffff:10.0.0.1]/']) {
      expect(await call('POST', '', { ...hook, url })).toMatchObject(refused(400, 'WEBHOOK_URL_INVALID'))
    }
    for (const id of [nobody, 'nothing']) {
      expect(await call('PUT', `/${id}`, { enabled: true })).toMatchObject(refused(404, 'WEBHOOK_NOT_FOUND'))
      expect(await call('DELETE', `/${id}`)).toMatchObject(refused(404, 'WEBHOOK_NOT_FOUND'))
      expect(await call('POST', `/${id}/rotate`)).toMatchObject(refused(404, 'WEBHOOK_NOT_FOUND'))
      expect(await call('GET', `/${id}/deliveries`)).toMatchObject(refused(404, 'WEBHOOK_NOT_FOUND'))
      expect(await call('POST', `/${id}/replay`, { after: nobody })).toMatchObject(refused(404, 'WEBHOOK_NOT_FOUND'))
    }
    const { body } = await call('POST', '', hook)
    for (const after of [nobody, 'nothing']) {
      expect(await call('POST', `/${body.webhook.id}/replay`, { after })).toMatchObject(refused(404, 'MESSAGE_NOT_FOUND'))
    }
    for (const cursor of ['x', '1'.repeat(30), '-1', '%00']) {
      expect(await call('GET', `/${body.webhook.id}/deliveries?cursor=${cursor}`)).toMatchObject({ status: 400 })
      expect(await call('GET', `?cursor=${cursor}`)).toMatchObject({ status: 400 })
    }
    expect(await call('GET', '', undefined, 'x'.repeat(32))).toMatchObject(refused(401, 'STUDIO_KEY_INVALID'))
    expect(await call('PATCH', `/${nobody}`)).toMatchObject(refused(405, 'METHOD_NOT_ALLOWED'))
  })

  it('make as many as there may be, and not one more at the same time', async () => {
    const { call } = await openCalls()
    const made = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 5 }, () => call('POST', '', hook)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(MAX_WEBHOOKS)
    expect(made.filter(({ body }) => body.code === 'TOO_MANY_WEBHOOKS')).toHaveLength(5)
    const first = await call('GET', '?limit=30')
    const second = await call('GET', `?limit=30&cursor=${first.body.nextCursor}`)
    const ids = [...first.body.webhooks, ...second.body.webhooks].map(({ id }) => id)
    expect([new Set(ids).size, second.body.nextCursor]).toEqual([MAX_WEBHOOKS, null])
  })
})
