import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { freshDatabase, type FreshDatabase } from '../support/fresh-database.ts'
import { startStudio } from './studio-client.ts'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))
afterAll(() => fresh.drop())

const WALLET = '5dEbMXXa19nLdjj9tZKzq9ZQPYVhSxV2eJo4skXNZuzb'

it('the log says why, for every call that changes something without moving drinks', async () => {
  const { call } = await startStudio(fresh.url)
  const because = (why: string) => `?reason=${encodeURIComponent(why)}`
  const made = (await call('POST', '/webhooks', { body: { url: 'https://game.example/x', events: ['sale.settled'], reason: 'made' } })).body
  const hook = `/webhooks/${made.webhook.id}`
  const { key } = (await call('POST', '/keys', { body: { name: 'quests', scopes: ['read'], reason: 'key made' } })).body
  const calls = [
    await call('PUT', hook, { body: { enabled: false, reason: 'switched' } }),
    await call('POST', `${hook}/rotate${because('rotated')}`),
    await call('DELETE', hook + because('deleted')),
    await call('DELETE', `/keys/${key.id}${because('key & its end')}`),
    await call('PUT', '/pause', { body: { message: 'paused' } }),
    await call('DELETE', `/pause${because('opened')}`),
    await call('PUT', `/blocks/${WALLET}`, { body: { reason: 'blocked' } }),
    await call('DELETE', `/blocks/${WALLET}${because('unblocked')}`),
    await call('PUT', '/rules', { body: { rules: [], reason: 'ruled' } }),
    await call('POST', '/audits', { body: { reason: 'audited' } }),
  ]
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 202])
  const { log } = (await call('GET', '/log')).body
  const told = log.map((entry: { call: string; reason: string }) => [entry.call, entry.reason]).reverse()
  expect(told).toEqual([
    ['createWebhook', 'made'],
    ['createStudioKey', 'key made'],
    ['changeWebhook', 'switched'],
    ['rotateWebhook', 'rotated'],
    ['deleteWebhook', 'deleted'],
    ['revokeStudioKey', 'key & its end'],
    ['pauseMarket', 'paused'],
    ['resumeMarket', 'opened'],
    ['blockWallet', 'blocked'],
    ['unblockWallet', 'unblocked'],
    ['setRules', expect.stringContaining('ruled')],
    ['startAudit', 'audited'],
  ])
})

it('what others have to live with is not done without a reason', async () => {
  const { call } = await startStudio(fresh.url)
  const id = randomUUID()
  const calls: [method: string, path: string, body: object, field: string][] = [
    ['PUT', '/pause', {}, 'message'],
    ['PUT', `/blocks/${WALLET}`, {}, 'reason'],
    ['POST', `/purchases/${id}/release`, {}, 'reason'],
    ['POST', `/recoveries/${id}/accept`, {}, 'reason'],
    ['POST', '/cases', { caseId: id }, 'note'],
  ]
  const before = (await call('GET', '/log')).body
  for (const [method, path, body, field] of calls) {
    expect([path, await call(method, path, { body })]).toMatchObject([path, { status: 400, body: { code: 'FIELDS_MISSING' } }])
    expect([path, (await call(method, path, { body: { ...body, [field]: '' } })).status]).toEqual([path, 400])
  }
  expect((await call('GET', '/log')).body).toEqual(before)
})

it.each(['/pause?reason=', `/blocks/${WALLET}?reason=${'x'.repeat(1_001)}`, '/pause?why=so'])('DELETE %.40s is refused', async (path) => {
  const { call } = await startStudio(fresh.url)
  expect(await call('DELETE', path)).toMatchObject({ status: 400 })
})
