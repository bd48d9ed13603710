import { randomUUID } from 'node:crypto'

import { endpoints, type EndpointName } from '@juicebar/contract/endpoints'
import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { schemas } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'

import { newAddress, newSignature, offer } from '../purchases/baskets/store-market.ts'
import { studioApiKey } from '../support/start-app.ts'
import { heldPurchase, settledPurchase, useSaleMarket } from './sales/sale-market.ts'
import { refused, useStudio } from './studio-client.ts'

const WALLET = '5dEbMXXa19nLdjj9tZKzq9ZQPYVhSxV2eJo4skXNZuzb'
const UNKNOWN_ID = '01a1f7e3-d2be-70a3-b634-7c62066aaf1d'

const market = useSaleMarket()
const studio = useStudio({ databaseUrl: () => market.databaseUrl })
const { call, get } = studio
const post = (path: string, body: unknown) => call('POST', path, { body })
const signature = newSignature()
let settledId: string
let heldId: string

beforeAll(async () => {
  const { seller, buyer } = market
  settledId = await settledPurchase(market, buyer, [{ listingId: await offer(market, seller), amount: 20 }], { signature })
  heldId = await heldPurchase(market, buyer, [{ listingId: await offer(market, seller) }])
})

/** Reads something as a spreadsheet does. */
async function getCsv(path: string) {
  const headers = { authorization: `Bearer ${studioApiKey}`, accept: 'text/csv' }
  const reply = await fetch(`${studio.origin}/api/studio${path}`, { headers })
  return { type: reply.headers.get('content-type'), text: await reply.text() }
}

it('the sales are followed by `next`, which other places are not', async () => {
  const first = await get('/sales?limit=500')
  expect(first.body.sales.map((sale: { purchaseId: string }) => sale.purchaseId)).toEqual([settledId])
  expect((await get(`/sales?after=${first.body.next}`)).body).toEqual({ sales: [], next: first.body.next })
  expect(await get('/sales?after=999-1')).toMatchObject(refused(409, 'CURSOR_EPOCH'))
  expect(await get('/sales?after=x')).toMatchObject(refused(400, 'CURSOR_INVALID'))
  expect((await get('/sales?limit=501')).status).toBe(400)
})

it('a player is shown with all drinks, also one who never came', async () => {
  const { body } = await get(`/players/${market.seller}`)
  expect(body.player).toEqual({
    walletAddress: market.seller,
    createdAt: expect.any(String),
    balances: { appleJuice: 760, orangeJuice: 1_000, grapeSoda: 0 },
    listed: { appleJuice: 220, orangeJuice: 0, grapeSoda: 0 },
    openPurchases: 0,
    openCases: 0,
    block: null,
  })
  expect((await get(`/players/${market.buyer}`)).body.player).toMatchObject({ openPurchases: 1 })
  expect((await get(`/players/${await newAddress()}`)).body.player).toMatchObject({ createdAt: null, balances: { appleJuice: 0 } })
  expect((await get('/players/nobody-at-all-with-such-a-long-name1')).body).toMatchObject({ code: 'WALLET_ADDRESS_INVALID' })
})

it('purchases are found by wallet, status, listing and signature', async () => {
  const found = async (query: string) =>
    (await get(`/purchases?${query}`)).body.purchases.map(({ purchaseId }: { purchaseId: string }) => purchaseId)
  expect(await found(`wallet=${market.seller}`)).toEqual([heldId, settledId])
  expect(await found(`wallet=${await newAddress()}`)).toEqual([])
  expect(await found(`wallet=${market.buyer}&status=settled`)).toEqual([settledId])
  expect(await found(`signature=${signature}`)).toEqual([settledId])
  expect(await found(`signature=${signature}&status=held`)).toEqual([])
  const { body } = await get(`/purchases/${settledId}`)
  const [{ listingId, partOf }] = body.purchase.items
  expect(await found(`listingId=${listingId}`)).toEqual([settledId])
  expect(await found(`listingId=${partOf}`)).toEqual([settledId])
  const page = await get(`/purchases?limit=1`)
  expect(await found(`limit=1&cursor=${page.body.nextCursor}`)).toEqual([settledId])
  expect(body.purchase.timeline.map(({ event }: { event: string }) => event)).toEqual(['held', 'confirmed', 'delivered'])
})

it('what nobody could know is refused, not answered with nothing', async () => {
  expect(await get(`/purchases?signature=${newSignature()}`)).toMatchObject(refused(503, 'CHAIN_DOWN'))
  expect((await get('/purchases?signature=short')).status).toBe(400)
  expect((await get('/purchases?listingId=x')).status).toBe(400)
  expect(await get('/purchases/x')).toMatchObject(refused(404, 'PURCHASE_NOT_FOUND'))
  expect(await get('/purchases?cursor=x')).toMatchObject(refused(400, 'CURSOR_INVALID'))
})

it('cases are found by wallet, and say what was agreed', async () => {
  await market.query(
    `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable) values ($1, 'double', $2, $3, 5, false)`,
    [settledId, newSignature(), market.seller],
  )
  const agreed = (await get(`/purchases/${settledId}`)).body.purchase.lamports
  for (const wallet of [market.seller, market.buyer]) {
    expect((await get(`/cases?wallet=${wallet}`)).body.cases).toMatchObject([{ lamports: '5', agreedLamports: agreed }])
  }
  expect((await get(`/cases?wallet=${await newAddress()}`)).body.cases).toEqual([])
  expect((await get(`/cases?wallet=${market.seller}&status=closed`)).body.cases).toEqual([])
  const { purchase } = (await get(`/purchases/${settledId}`)).body
  expect(purchase.timeline.map(({ event }: { event: string }) => event)).toEqual(['held', 'confirmed', 'delivered', 'case.opened'])
  expect(purchase.waitingFor).toMatch(/^It has waited for the seller to refund it for \d+ s\.$/)
})

it('the figures are JSON, or CSV for who asks for it', async () => {
  // Whenever an hour or a day begins, they are all in one.
  await market.query('update transfers set created_at = settled_at from purchases where purchases.id = $1', [settledId])
  const { body } = await get('/stats?group=tokenType')
  expect(body.stats).toMatchObject([
    { tokenType: 'APPLE_JUICE', sales: 1, buyers: 1, credited: 2_000 },
    { tokenType: 'ORANGE_JUICE', sales: 0 },
  ])
  const csv = await getCsv('/stats')
  expect(csv.type).toBe('text/csv; charset=utf-8')
  expect(csv.text).toMatch(/^day,sales,.*\r\n\d{4}-\d{2}-\d{2},1,1,/)
  expect((await get('/stats?from=tomorrow')).status).toBe(400)
  expect((await get('/stats?group=minute')).status).toBe(400)
  const hours = await get('/stats?group=hour')
  expect(hours.body.stats).toMatchObject([{ hour: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:00:00Z$/), sales: 1 }])
  expect((await getCsv('/stats?group=hour')).text).toMatch(/^hour,sales,.*\r\n\d{4}-\d{2}-\d{2}T\d{2}:00:00Z,1,1,/)
  expect(await get('/stats?group=hour&from=2030-01-01&to=2030-01-03T00:00:00.001Z')).toMatchObject({
    status: 400,
    body: { error: 'by hour, from must be at most 48 hours before to' },
  })
})

it('an audit reads everything again if it is asked to, and the log says who asked', async () => {
  expect(await post('/audits', { full: 'yes' })).toMatchObject({ status: 400 })
  const { status, body } = await post('/audits', { full: true })
  expect([status, body.audit]).toMatchObject([202, { status: 'running', full: true }])
  expect((await get(`/audits/${body.audit.id}`)).body.audit).toMatchObject({ id: body.audit.id, full: true })
  expect((await get('/log')).body.log[0]).toMatchObject({ key: 'root key', call: 'startAudit', subject: body.audit.id })
})

it('audits are listed with who started each and what it found, the newest first', async () => {
  await post('/audits', { full: true })
  expect((await get('/audits')).body).toMatchObject({
    audits: [{ startedBy: 'root key', status: 'running', full: true, ok: null }],
    nextCursor: null,
  })
  await market.query(`update audits set finished_at = now(), violation_count = 2`)
  await market.query(`insert into audits (is_full, total, verified_before) values (false, 0, 0)`)
  const { audits, nextCursor } = (await get('/audits?limit=1')).body
  expect(audits).toMatchObject([{ startedBy: null, status: 'running' }])
  const older = (await get(`/audits?limit=1&cursor=${nextCursor}`)).body
  expect(older).toMatchObject({ audits: [{ startedBy: 'root key', status: 'done', ok: false, violationCount: 2 }], nextCursor: null })
  expect(older.audits[0]).not.toHaveProperty('violations')
  expect(await get('/audits?cursor=x')).toMatchObject(refused(400, 'CURSOR_INVALID'))
  expect(await get('/blocks?cursor=x')).toMatchObject(refused(400, 'CURSOR_INVALID'))
})

it('a hold is not released without a proof or a reason, and the log says nothing of it', async () => {
  const before = (await get('/log')).body
  const reason = 'They say that nothing was paid.'
  expect(await post(`/purchases/${heldId}/release`, { reason })).toMatchObject(refused(503, 'CHAIN_DOWN'))
  expect(await post(`/purchases/${settledId}/release`, { reason })).toMatchObject(refused(409, 'NOT_RELEASABLE'))
  expect(await post(`/purchases/${heldId}/release`, {})).toMatchObject({ status: 400 })
  for (const id of ['x', UNKNOWN_ID]) {
    expect(await post(`/purchases/${id}/release`, { reason })).toMatchObject(refused(404, 'PURCHASE_NOT_FOUND'))
  }
  expect((await get(`/purchases/${heldId}`)).body.purchase).toMatchObject({ status: 'held' })
  expect((await get('/log')).body).toEqual(before)
})

it('the log says why, for every call that changes something without moving drinks', async () => {
  // One that is under way would be joined.
  await market.query('delete from audits')
  const because = (why: string) => `?reason=${encodeURIComponent(why)}`
  const made = (await post('/webhooks', { url: 'https://game.example/x', events: ['sale.settled'], reason: 'made' })).body
  const hook = `/webhooks/${made.webhook.id}`
  const { key } = (await post('/keys', { name: 'quests', scopes: ['read'], reason: 'key made' })).body
  const calls: [method: string, path: string, body: object | undefined, call: string, reason: unknown][] = [
    ['PUT', hook, { enabled: false, reason: 'switched' }, 'changeWebhook', 'switched'],
    ['POST', `${hook}/rotate${because('rotated')}`, undefined, 'rotateWebhook', 'rotated'],
    ['DELETE', hook + because('deleted'), undefined, 'deleteWebhook', 'deleted'],
    ['DELETE', `/keys/${key.id}${because('key & its end')}`, undefined, 'revokeStudioKey', 'key & its end'],
    ['PUT', '/pause', { message: 'paused' }, 'pauseMarket', 'paused'],
    ['DELETE', `/pause${because('opened')}`, undefined, 'resumeMarket', 'opened'],
    ['PUT', `/blocks/${WALLET}`, { reason: 'blocked' }, 'blockWallet', 'blocked'],
    ['DELETE', `/blocks/${WALLET}${because('unblocked')}`, undefined, 'unblockWallet', 'unblocked'],
    ['PUT', '/rules', { rules: [], reason: 'ruled' }, 'setRules', expect.stringContaining('ruled')],
    ['POST', '/audits', { reason: 'audited' }, 'startAudit', 'audited'],
  ]
  for (const [method, path, body, name] of calls) {
    expect([path, (await call(method, path, { body })).status]).toEqual([path, name === 'startAudit' ? 202 : 200])
  }
  const { log } = (await get('/log?limit=12')).body
  const told = log.map((entry: { call: string; reason: string }) => [entry.call, entry.reason]).reverse()
  const expected = calls.map(([, , , name, reason]) => [name, reason])
  expect(told).toEqual([['createWebhook', 'made'], ['createStudioKey', 'key made'], ...expected])
})

it('what others have to live with is not done without a reason', async () => {
  const id = randomUUID()
  const calls: [method: string, path: string, body: object, field: string][] = [
    ['PUT', '/pause', {}, 'message'],
    ['PUT', `/blocks/${WALLET}`, {}, 'reason'],
    ['POST', `/purchases/${id}/release`, {}, 'reason'],
    ['POST', `/recoveries/${id}/accept`, {}, 'reason'],
    ['POST', '/cases', { caseId: id }, 'note'],
  ]
  const before = (await get('/log')).body
  for (const [method, path, body, field] of calls) {
    expect([path, await call(method, path, { body })]).toMatchObject([path, refused(400, 'FIELDS_MISSING')])
    expect([path, (await call(method, path, { body: { ...body, [field]: '' } })).status]).toEqual([path, 400])
  }
  expect((await get('/log')).body).toEqual(before)
})

it.each(['/pause?reason=', `/blocks/${WALLET}?reason=${'x'.repeat(1_001)}`, '/pause?why=so'])('DELETE %.40s is refused', async (path) => {
  expect(await call('DELETE', path)).toMatchObject({ status: 400 })
})

/** The studio's lists, and what each calls the place where a page begins. */
const lists = (Object.keys(studioEndpoints) as EndpointName[]).flatMap((name) => {
  const schema = schemas[name]
  const fields = 'querystring' in schema ? Object.keys(schema.querystring.properties) : []
  const field = fields.find((known) => known === 'cursor' || known === 'after')
  return field === undefined ? [] : [{ name, field }]
})

const number = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.constantFrom(0n, 2n ** 63n - 1n, 2n ** 63n))
const cursors = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.uuid(),
  number.map(String),
  fc.tuple(number, number).map(([ordinal, time]) => `${ordinal}-${time}`),
  fc.tuple(number, fc.constantFrom(WALLET, 'x', '')).map(([time, address]) => `${time}.${address}`),
  fc.tuple(fc.constantFrom('waits', 'closed', 'open'), fc.constantFrom('.', ':', '-'), fc.uuid()).map((parts) => parts.join('')),
  fc.constantFrom('', '0-0', '00-00', `${'9'.repeat(19)}-1`, `1-${'9'.repeat(19)}`, '1e3-1'),
  fc.constantFrom('null', '[]', '{}', '\0', '%00', `'; drop table sales; --`, 'x'.repeat(5_000)),
  fc.json().map((text) => Buffer.from(text).toString('base64url')),
)

describe('a cursor', () => {
  beforeAll(() => market.trade({ price: 9_000_000n }))

  it('exists for every list of the studio', () => {
    expect(
      lists
        .map(({ name }) => name)
        .toSorted()
        .join(' '),
    ).toBe('audits studioBlocks studioCases studioCheckouts studioKeys studioLog studioPurchases studioSales webhookDeliveries webhooks')
  })

  it.each(lists)('of any content is a place or is refused: $name', async ({ name, field }) => {
    const { webhook } = (await post('/webhooks', { url: 'https://game.example/', events: ['sale.settled'] })).body
    const path = endpoints[name].replace('GET /api/studio', '').replace(':id', webhook.id)
    expect((await get(path)).status).toBe(200)
    await fc.assert(
      fc.asyncProperty(fc.array(cursors, { minLength: 1, maxLength: 2 }), async (given) => {
        const query = given.map((cursor) => `${field}=${encodeURIComponent(cursor)}`).join('&')
        const { status, body } = await get(`${path}?${query}`)
        const answer = status === 200 ? 'a page' : `${status} ${body.code}`
        expect(['a page', '400 BAD_REQUEST', '400 CURSOR_INVALID', '409 CURSOR_EPOCH']).toContain(answer)
      }),
      { numRuns: 40 * inject('propertyRuns') },
    )
  })

  it.each(lists)('that is not text at all is refused: $name', async ({ name, field }) => {
    const path = endpoints[name].replace('GET /api/studio', '').replace(':id', UNKNOWN_ID)
    for (const query of [`${field}=%ff%fe`, `${field}=%`, `${field}[]=1`, `${field}[a]=1`, `${field}=%F0%9F%92`]) {
      expect((await get(`${path}?${query}`)).status).toBeLessThan(500)
    }
  })
})
