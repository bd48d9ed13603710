import { randomUUID } from 'node:crypto'

import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { defaultCatalogue } from './support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../src/database/connect.ts'
import { type Api } from '../src/http/api/route.ts'
import { inventoryRoutes } from '../src/inventory/routes.ts'
import { listingRoutes } from '../src/listings/routes.ts'
import { purchaseRoutes } from '../src/purchases/routes.ts'
import { studioRoutes } from '../src/studio/routes.ts'
import { serve, STUDIO_KEY } from './http/test-server.ts'
import { refusal, useTradingWorld, waiting, type Wallet } from './purchases/trading-world.ts'
import { type CuttingProxy, startCuttingProxy } from './support/cutting-proxy.ts'

const world = useTradingWorld()
let proxy: CuttingProxy
let cutConnection: DatabaseConnection
let fastify: FastifyInstance

beforeAll(async () => {
  proxy = await startCuttingProxy(world.databaseUrl)
  cutConnection = connectDatabase(proxy.url, () => undefined)
})

beforeEach(async () => {
  const deps = { ...world.deps, database: cutConnection.database }
  const declare = (api: Api) => {
    inventoryRoutes(api, deps.database, defaultCatalogue)
    listingRoutes(api, deps.database, defaultCatalogue)
    purchaseRoutes(api, deps)
    studioRoutes(api, deps, { named: new Set(), market: 'Juicebar, market.example' })
  }
  const authenticate = async ({ headers }: FastifyRequest) => ({ id: 'a session', player: headers['x-player'] as Wallet['address'] })
  fastify = await serve(declare, {}, { authenticate })
})

afterAll(async () => {
  await cutConnection.close()
  await proxy.stop()
})

interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  /** Without one it is the studio's call. */
  player?: Wallet
  headers?: Record<string, string>
  payload?: object
}

/** A write, and what must have come of it in the end. */
interface Write extends Call {
  /** What asking again answers by status: the same as if nothing had been lost, or that it was done before. */
  answers: Readonly<Record<number, object>>
  check: () => Promise<void>
}

async function ask({ method, url, player, headers = {}, payload }: Call) {
  const caller = player ? { 'x-player': player.address } : { authorization: `Bearer ${STUDIO_KEY}` }
  const reply = await fastify.inject({
    method,
    url: `/api${url}`,
    headers: { ...headers, ...caller, ...(payload && { 'content-type': 'application/json' }) },
    ...(payload && { payload }),
  })
  return { statusCode: reply.statusCode, body: reply.json<Record<string, unknown>>() }
}

/** Asks once the server is connected, with the first answer of its database lost. */
async function askInVain(call: Call) {
  await untilConnected()
  proxy.cutAfter(1)
  return ask(call)
}

/** Servers wait a moment before they connect again. */
async function untilConnected(): Promise<void> {
  await expect.poll(() => cutConnection.probe().then(() => 'connected'), waiting).toBe('connected')
  await expect.poll(() => cutConnection.database.selectFrom('players').select('walletAddress').limit(1).execute(), waiting).toBeDefined()
}

/** More statements than any call runs. */
const MAX_ANSWERS = 30

/**
 * Asks for the write with the first answer of the database lost, then for a new one with the second lost, and so on until nothing is lost
 * any more; and each time asks again.
 */
async function loseEachAnswer(arrange: () => Promise<Write>): Promise<void> {
  let lost = 0
  for (let answers = 1; ; answers++) {
    expect(answers).toBeLessThan(MAX_ANSWERS)
    const write = await arrange()
    await untilConnected()
    const callOff = proxy.cutAfter(answers)
    const first = await ask(write)
    const wasCut = callOff()
    if (wasCut && first.statusCode === 503) {
      lost += 1
      expect(first.body).toMatchObject({
        code: 'DATABASE_DOWN',
        error: expect.stringContaining('may have been done; asking again is safe'),
      })
    } else expect(first.statusCode).toBeLessThan(300)
    await untilConnected()
    const again = await ask(write)
    expect(Object.keys(write.answers)).toContain(String(again.statusCode))
    expect(again.body).toMatchObject(write.answers[again.statusCode] ?? {})
    await write.check()
    if (!wasCut) break
  }
  expect(lost).toBeGreaterThan(0)
}

const listingsOf = ({ address }: Wallet) =>
  world.database.selectFrom('listings').select(['id', 'status']).where('seller', '=', address).execute()
const purchasesOf = ({ address }: Wallet) =>
  world.database.selectFrom('purchases').select(['id', 'status']).where('buyer', '=', address).execute()

async function market() {
  const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
  return { seller, buyer, listingId: await world.list(seller) }
}

async function heldListing() {
  const { seller, buyer, listingId } = await market()
  return { seller, buyer, listingId, purchase: await world.hold(buyer, listingId) }
}

/** A payment that came after its hold was cancelled, for a listing that somebody else holds. */
async function openCase() {
  const { seller, buyer, listingId, purchase } = await heldListing()
  await world.cancel(buyer, purchase)
  await world.hold(await world.createWallet(), listingId)
  const signature = await world.payByWallet(buyer, purchase)
  await expect(world.confirm(buyer, listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
  const [found] = await world.casesOf(seller)
  if (!found) throw new Error('no case')
  return { seller, caseId: found.caseId }
}

/** Each prepares a market of its own, so that every lost answer has one. */
const writes: Record<string, () => Promise<Write>> = {
  'a listing with an idempotency key is put up once': async () => {
    const seller = await world.createWallet()
    return {
      method: 'POST',
      url: '/marketplace/listings',
      player: seller,
      headers: { 'idempotency-key': randomUUID() },
      payload: { tokenType: 'APPLE_JUICE', price: 0.5, amount: 10 },
      answers: { 201: { listing: { seller: seller.address, amount: 10, status: 'active' } } },
      check: async () => {
        expect(await listingsOf(seller)).toHaveLength(1)
        expect(await world.appleJuice(seller)).toBe(990)
      },
    }
  },
  'a listing is removed once': async () => {
    const seller = await world.createWallet()
    const id = await world.list(seller)
    return {
      method: 'DELETE',
      url: `/marketplace/listings/${id}`,
      player: seller,
      answers: { 200: { listing: { _id: id, status: 'removed' } }, 409: { code: 'LISTING_NOT_ACTIVE' } },
      check: async () => {
        expect(await listingsOf(seller)).toMatchObject([{ status: 'removed' }])
        expect(await world.appleJuice(seller)).toBe(1_000)
      },
    }
  },
  'a listing is held once': async () => {
    const { buyer, listingId } = await market()
    return {
      method: 'POST',
      url: `/marketplace/buy/${listingId}`,
      player: buyer,
      payload: { sendsThrough: 'server' },
      answers: { 200: { transactionDetails: { listingId } } },
      check: async () => expect(await purchasesOf(buyer)).toMatchObject([{ status: 'held' }]),
    }
  },
  'a hold is cancelled': async () => {
    const { buyer, purchase } = await heldListing()
    const { purchaseId } = purchase
    return {
      method: 'DELETE',
      url: `/marketplace/purchases/${purchaseId}`,
      player: buyer,
      answers: { 200: { purchase: { purchaseId, status: 'ended', endReason: 'cancelled' } } },
      check: async () => expect(await purchasesOf(buyer)).toMatchObject([{ status: 'ended' }]),
    }
  },
  'a payment is recorded once': async () => {
    const { buyer, purchase } = await heldListing()
    const { base64, signature } = await world.signPayment(buyer, purchase)
    return {
      method: 'POST',
      url: `/marketplace/purchases/${purchase.purchaseId}/payment`,
      player: buyer,
      payload: { transaction: base64 },
      answers: { 200: { signature } },
      check: async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ signature, stage: 'sent' }),
    }
  },
  'a payment is confirmed, and delivered once': async () => {
    const { buyer, listingId, purchase } = await heldListing()
    const payment = await world.signPayment(buyer, purchase)
    await world.submit(buyer, purchase, payment)
    const commitment = async () => (await world.chain.statuses([payment.signature])).get(payment.signature)?.commitment
    await expect.poll(commitment, waiting).toMatch(/confirmed|finalized/)
    return {
      method: 'POST',
      url: '/marketplace/confirm-purchase',
      player: buyer,
      payload: { listingId, transactionSignature: payment.signature },
      answers: { 200: { purchase: { status: 'settled', signature: payment.signature } } },
      check: async () => expect(await world.appleJuice(buyer)).toBe(1_010),
    }
  },
  'a refund is prepared, with one reference': async () => {
    const { seller, caseId } = await openCase()
    return {
      method: 'POST',
      url: `/marketplace/cases/${caseId}/refund`,
      player: seller,
      answers: { 200: { refundDetails: { caseId } } },
      check: async () => expect(await world.casesOf(seller)).toMatchObject([{ status: 'open' }]),
    }
  },
  'a refund is recorded once': async () => {
    const { seller, caseId } = await openCase()
    const { base64, signature } = await world.signRefund(seller, { caseId })
    return {
      method: 'POST',
      url: `/marketplace/cases/${caseId}/refund-payment`,
      player: seller,
      payload: { transaction: base64 },
      answers: { 200: { signature } },
      check: async () => expect(await world.casesOf(seller)).toMatchObject([{ status: 'refunding' }]),
    }
  },
  'tokens are credited once': async () => {
    const player = await world.createWallet()
    return {
      method: 'POST',
      url: '/studio/credits',
      payload: { walletAddress: player.address, tokenType: 'APPLE_JUICE', amount: 5, idempotencyKey: randomUUID() },
      answers: { 200: { credit: { walletAddress: player.address, amount: 5 } } },
      check: async () => expect(await world.appleJuice(player)).toBe(1_005),
    }
  },
  'a case is closed': async () => {
    const { seller, caseId } = await openCase()
    return {
      method: 'POST',
      url: '/studio/cases',
      payload: { caseId, note: 'Compensated.' },
      answers: { 200: { case: { caseId, status: 'closed' } }, 409: { code: 'CASE_NOT_OPEN' } },
      check: async () => {
        expect(await world.casesOf(seller)).toMatchObject([{ status: 'closed', note: 'Compensated.' }])
        const { rows } = await world.connection.pool.query('select actor, call, reason from studio_log where subject = $1', [caseId])
        expect(rows).toEqual([{ actor: 'root key', call: 'closeCase', reason: 'Compensated.' }])
      },
    }
  },
}

describe('a write whose answer from the database is lost, at whatever statement, says so and can be asked for again:', () => {
  it.each(Object.entries(writes))('%s', (_name, arrange) => loseEachAnswer(arrange))
})

describe('a new studio key', () => {
  it('whose outcome is not known says that asking again is not safe: its secret is lost', async () => {
    const write = { method: 'POST', url: '/studio/keys', payload: { name: 'game', scopes: ['read'] } } as const
    const unsafe = { error: expect.stringContaining('so look before you ask again') }
    expect(await askInVain(write)).toMatchObject({ statusCode: 503, body: unsafe })
  })
})

describe('a listing without an idempotency key', () => {
  it('whose outcome is not known says that asking again is not safe', async () => {
    const payload = { tokenType: 'APPLE_JUICE', price: 0.5, amount: 10 }
    const write = { method: 'POST', url: '/marketplace/listings', player: world.seller, payload } as const
    const unsafe = { error: expect.stringContaining('may have been done, so look before you ask again') }
    expect(await askInVain(write)).toMatchObject({ statusCode: 503, body: unsafe })
  })
})

describe('a read', () => {
  it('whose answer from the database is lost speaks of nothing that may have been done', async () => {
    expect(await askInVain({ method: 'GET', url: '/marketplace/my-listings', player: world.seller })).toEqual({
      statusCode: 503,
      body: { code: 'DATABASE_DOWN', error: 'The market cannot reach its database right now. Please try again in a moment.' },
    })
  })
})
