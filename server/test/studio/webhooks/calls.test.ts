import { MAX_WEBHOOKS } from '@juicebar/contract/limits'
import { beforeEach, describe, expect, it } from 'vitest'

import { refused, useStudio } from '../studio-client.ts'

const nobody = '01a1f7d2-f049-703c-aa02-0770f4434472'
const hook = { url: 'https://game.example/hook', events: ['sale.settled'] }

const studio = useStudio()
const call = (method: string, path: string, body?: unknown) => studio.call(method, `/webhooks${path}`, { body })

beforeEach(() => studio.pool.query('truncate webhooks cascade'))

describe('the calls of webhooks', () => {
  it('make one, list it, switch it, rotate its secret and delete it; a secret is shown once, and each write is in the log', async () => {
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
    const { rows } = await studio.pool.query('select call from studio_log where subject = $1 order by id', [webhook.id])
    const calls = ['createWebhook', 'changeWebhook', 'changeWebhook', 'rotateWebhook', 'deleteWebhook']
    expect(rows.map(({ call: name }) => name)).toEqual(calls)
  })

  it('refuse what is wrong', async () => {
    const long = `https://game.example/${'x'.repeat(3_000)}`
    for (const events of [[], ['nothing'], ['sale.settled', 'sale.settled']]) {
      expect(await call('POST', '', { ...hook, events })).toMatchObject({ status: 400 })
    }
    for (const wrong of [{ secret: 'x' }, { url: long }])
      expect(await call('POST', '', { ...hook, ...wrong })).toMatchObject({ status: 400 })
    for (const url of ['ftp://game.example', 'http://2130706433/', 'http://[::ffff:10.0.0.1]/']) {
      expect(await call('POST', '', { ...hook, url })).toMatchObject(refused(400, 'WEBHOOK_URL_INVALID'))
    }
    for (const id of [nobody, 'nothing']) {
      const notFound = refused(404, 'WEBHOOK_NOT_FOUND')
      expect(await call('PUT', `/${id}`, { enabled: true })).toMatchObject(notFound)
      expect(await call('DELETE', `/${id}`)).toMatchObject(notFound)
      expect(await call('POST', `/${id}/rotate`)).toMatchObject(notFound)
      expect(await call('GET', `/${id}/deliveries`)).toMatchObject(notFound)
      expect(await call('POST', `/${id}/replay`, { after: nobody })).toMatchObject(notFound)
    }
    const { body } = await call('POST', '', hook)
    for (const after of [nobody, 'nothing']) {
      expect(await call('POST', `/${body.webhook.id}/replay`, { after })).toMatchObject(refused(404, 'MESSAGE_NOT_FOUND'))
    }
    for (const cursor of ['x', '1'.repeat(30), '-1', '%00']) {
      expect(await call('GET', `/${body.webhook.id}/deliveries?cursor=${cursor}`)).toMatchObject({ status: 400 })
      expect(await call('GET', `?cursor=${cursor}`)).toMatchObject({ status: 400 })
    }
    expect(await studio.call('GET', '/webhooks', { key: 'x'.repeat(32) })).toMatchObject(refused(401, 'STUDIO_KEY_INVALID'))
    expect(await call('PATCH', `/${nobody}`)).toMatchObject(refused(405, 'METHOD_NOT_ALLOWED'))
  })

  it('make as many as there may be, and not one more at the same time', async () => {
    const made = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 5 }, () => call('POST', '', hook)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(MAX_WEBHOOKS)
    expect(made.filter(({ body }) => body.code === 'TOO_MANY_WEBHOOKS')).toHaveLength(5)
    const first = await call('GET', '?limit=30')
    const second = await call('GET', `?limit=30&cursor=${first.body.nextCursor}`)
    const ids = [...first.body.webhooks, ...second.body.webhooks].map(({ id }) => id)
    expect([new Set(ids).size, second.body.nextCursor]).toEqual([MAX_WEBHOOKS, null])
  })
})
