import { type WalletAddress } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

import { addPlayer, newAddress, newSignature, offer, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { startApp, studioApiKey } from '../support/start-app.ts'
import { heldPurchase, settledPurchase } from './sales/sale-market.ts'

let market: StoreMarket
let seller: WalletAddress
let buyer: WalletAddress
let settledId: string
let heldId: string
let origin: string
const signature = newSignature()

beforeAll(async () => {
  market = await openStoreMarket()
  seller = await addPlayer(market)
  buyer = await addPlayer(market)
  settledId = await settledPurchase(market, buyer, [{ listingId: await offer(market, seller), amount: 20 }], { signature })
  heldId = await heldPurchase(market, buyer, [{ listingId: await offer(market, seller) }])
})
beforeEach(async () => {
  origin = (await startApp(market.databaseUrl)).origin
  await expect.poll(async () => (await fetch(`${origin}/health/ready`)).status).toBe(200)
})
afterAll(() => market.close())

const post = (path: string, body: unknown) =>
  get(path, { 'content-type': 'application/json' }, { method: 'POST', body: JSON.stringify(body) })

async function get(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const reply = await fetch(`${origin}/api/studio${path}`, { ...init, headers: { authorization: `Bearer ${studioApiKey}`, ...headers } })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.startsWith('application/json')
  return { status: reply.status, type: reply.headers.get('content-type'), text, body: isJson ? JSON.parse(text) : undefined }
}

it('the sales are followed by `next`, which other places are not', async () => {
  const first = await get('/sales?limit=500')
  expect(first.body.sales.map((sale: { purchaseId: string }) => sale.purchaseId)).toEqual([settledId])
  expect((await get(`/sales?after=${first.body.next}`)).body).toEqual({ sales: [], next: first.body.next })
  expect(await get('/sales?after=999-1')).toMatchObject({ status: 409, body: { code: 'CURSOR_EPOCH' } })
  expect(await get('/sales?after=x')).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
  expect((await get('/sales?limit=501')).status).toBe(400)
})

it('a player is shown with all drinks, also one who never came', async () => {
  const { body } = await get(`/players/${seller}`)
  expect(body.player).toEqual({
    walletAddress: seller,
    createdAt: expect.any(String),
    balances: { appleJuice: 760, orangeJuice: 1_000, grapeSoda: 0 },
    listed: { appleJuice: 220, orangeJuice: 0, grapeSoda: 0 },
    openPurchases: 0,
    openCases: 0,
    block: null,
  })
  expect((await get(`/players/${buyer}`)).body.player).toMatchObject({ openPurchases: 1 })
  expect((await get(`/players/${await newAddress()}`)).body.player).toMatchObject({ createdAt: null, balances: { appleJuice: 0 } })
  expect((await get('/players/nobody-at-all-with-such-a-long-name1')).body).toMatchObject({ code: 'WALLET_ADDRESS_INVALID' })
})

it('purchases are found by wallet, status, listing and signature', async () => {
  const found = async (query: string) =>
    (await get(`/purchases?${query}`)).body.purchases.map(({ purchaseId }: { purchaseId: string }) => purchaseId)
  expect(await found(`wallet=${seller}`)).toEqual([heldId, settledId])
  expect(await found(`wallet=${await newAddress()}`)).toEqual([])
  expect(await found(`wallet=${buyer}&status=settled`)).toEqual([settledId])
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
  expect(await get(`/purchases?signature=${newSignature()}`)).toMatchObject({ status: 503, body: { code: 'CHAIN_DOWN' } })
  expect((await get('/purchases?signature=short')).status).toBe(400)
  expect((await get('/purchases?listingId=x')).status).toBe(400)
  expect(await get('/purchases/x')).toMatchObject({ status: 404, body: { code: 'PURCHASE_NOT_FOUND' } })
  expect(await get('/purchases?cursor=x')).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
})

it('cases are found by wallet, and say what was agreed', async () => {
  await market.connection.pool.query(
    `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable) values ($1, 'double', $2, $3, 5, false)`,
    [settledId, newSignature(), seller],
  )
  const agreed = (await get(`/purchases/${settledId}`)).body.purchase.lamports
  for (const wallet of [seller, buyer]) {
    expect((await get(`/cases?wallet=${wallet}`)).body.cases).toMatchObject([{ lamports: '5', agreedLamports: agreed }])
  }
  expect((await get(`/cases?wallet=${await newAddress()}`)).body.cases).toEqual([])
  expect((await get(`/cases?wallet=${seller}&status=closed`)).body.cases).toEqual([])
  const { purchase } = (await get(`/purchases/${settledId}`)).body
  expect(purchase.timeline.map(({ event }: { event: string }) => event)).toEqual(['held', 'confirmed', 'delivered', 'case.opened'])
  expect(purchase.waitingFor).toMatch(/^It has waited for the seller to refund it for \d+ s\.$/)
})

it('the figures are JSON, or CSV for who asks for it', async () => {
  const { body } = await get('/stats?group=tokenType')
  expect(body.stats).toMatchObject([
    { tokenType: 'APPLE_JUICE', sales: 1, buyers: 1, credited: 2_000 },
    { tokenType: 'ORANGE_JUICE', sales: 0 },
  ])
  const csv = await get('/stats', { accept: 'text/csv' })
  expect(csv.type).toBe('text/csv; charset=utf-8')
  expect(csv.text).toMatch(/^day,sales,.*\r\n\d{4}-\d{2}-\d{2},1,1,/)
  expect((await get('/stats?from=tomorrow')).status).toBe(400)
  expect((await get('/stats?group=minute')).status).toBe(400)
  const hours = await get('/stats?group=hour')
  expect(hours.body.stats).toMatchObject([{ hour: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:00:00Z$/), sales: 1 }])
  expect((await get('/stats?group=hour', { accept: 'text/csv' })).text).toMatch(/^hour,sales,.*\r\n\d{4}-\d{2}-\d{2}T\d{2}:00:00Z,1,1,/)
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
  const key = await get('/audits')
  expect(key.body).toMatchObject({ audits: [{ startedBy: 'root key', status: 'running', full: true, ok: null }], nextCursor: null })
  const { pool } = market.connection
  await pool.query(`update audits set finished_at = now(), violation_count = 2`)
  await pool.query(`insert into audits (is_full, total, verified_before) values (false, 0, 0)`)
  const { audits, nextCursor } = (await get('/audits?limit=1')).body
  expect(audits).toMatchObject([{ startedBy: null, status: 'running' }])
  const older = (await get(`/audits?limit=1&cursor=${nextCursor}`)).body
  expect(older).toMatchObject({ audits: [{ startedBy: 'root key', status: 'done', ok: false, violationCount: 2 }], nextCursor: null })
  expect(older.audits[0]).not.toHaveProperty('violations')
  expect(await get('/audits?cursor=x')).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
  expect(await get('/blocks?cursor=x')).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
})

it('a hold is not released without a proof or a reason, and the log says nothing of it', async () => {
  const before = (await get('/log')).body
  const reason = 'They say that nothing was paid.'
  expect(await post(`/purchases/${heldId}/release`, { reason })).toMatchObject({ status: 503, body: { code: 'CHAIN_DOWN' } })
  expect(await post(`/purchases/${settledId}/release`, { reason })).toMatchObject({ status: 409, body: { code: 'NOT_RELEASABLE' } })
  expect(await post(`/purchases/${heldId}/release`, {})).toMatchObject({ status: 400 })
  for (const id of ['x', '01a1f7e3-d2be-70a3-b634-7c62066aaf1d']) {
    expect(await post(`/purchases/${id}/release`, { reason })).toMatchObject({ status: 404, body: { code: 'PURCHASE_NOT_FOUND' } })
  }
  expect((await get(`/purchases/${heldId}`)).body.purchase).toMatchObject({ status: 'held' })
  expect((await get('/log')).body).toEqual(before)
})
