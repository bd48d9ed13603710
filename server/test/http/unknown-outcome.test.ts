import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { type Api } from '../../src/http/route.ts'
import { inventoryRoutes } from '../../src/inventory/routes.ts'
import { listingRoutes } from '../../src/listings/routes.ts'
import { createNetworkHash } from '../../src/purchases/pay-link/pay-link.ts'
import { purchaseRoutes } from '../../src/purchases/routes.ts'
import { studioRoutes } from '../../src/studio/routes.ts'
import { serve, STUDIO_KEY } from './test-server.ts'
import { refusal, useTradingWorld, waiting, type Wallet } from '../purchases/trading-world.ts'

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
    purchaseRoutes(api, deps, createNetworkHash('s'.repeat(32)))
    studioRoutes(api, deps, { named: new Set(), market: 'Juicebar, market.example' })
  }
  const authenticate = async ({ headers }: FastifyRequest) => ({ id: 'a session', player: headers['x-player'] as Wallet['address'] })
  fastify = await serve(declare, {}, { authenticate })
})

afterAll(async () => {
  await cutConnection.close()
  await proxy.stop()
})

/** Of a player, or of the studio. */
interface Call {
  player: Wallet | 'studio'
  /** Method and path. */
  asks: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
  payload?: object
  headers?: Record<string, string>
}

/** A write, and what must have come of it in the end. */
interface Write extends Call {
  /** What asking again answers by status: the same as if nothing had been lost, or that it was done before. */
  answers: Readonly<Record<number, object>>
  check: () => Promise<void>
}

async function ask({ player, asks, payload, headers = {} }: Call) {
  const [method, path] = asks.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string]
  const caller = player === 'studio' ? { authorization: `Bearer ${STUDIO_KEY}` } : { 'x-player': player.address }
  const reply = await fastify.inject({
    method,
    url: `/api${path}`,
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
 * any more; and each time asks again. @returns how many answers were lost
 */
async function loseEachAnswer(arrange: () => Promise<Write>): Promise<number> {
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
      const error = expect.stringContaining('may have been done; asking again is safe')
      expect(first.body).toMatchObject({ code: 'DATABASE_DOWN', error })
    } else expect(first.statusCode).toBeLessThan(300)
    await untilConnected()
    const again = await ask(write)
    expect(Object.keys(write.answers)).toContain(String(again.statusCode))
    expect(again.body).toMatchObject(write.answers[again.statusCode] ?? {})
    await write.check()
    if (!wasCut) return lost
  }
}

const listingsOf = ({ address }: Wallet) =>
  world.database.selectFrom('listings').select(['id', 'status']).where('seller', '=', address).execute()
const priceChangesOf = async (id: string) => {
  const changes = `select 1 from events where type = 'listing.changed' and data -> 'listing' ->> '_id' = $1`
  return (await world.connection.pool.query(changes, [id])).rows.length
}
const purchasesOf = ({ address }: Wallet) =>
  world.database.selectFrom('purchases').select(['id', 'status']).where('buyer', '=', address).execute()

async function market() {
  const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
  return { seller, buyer, listingId: await world.list(seller) }
}

async function heldListing() {
  const { seller, buyer, listingId } = await market()
  const purchase = await world.hold(buyer, listingId)
  return { seller, buyer, listingId, purchase, purchaseId: purchase.purchaseId }
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
      player: seller,
      asks: 'POST /marketplace/listings',
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
      player: seller,
      asks: `DELETE /marketplace/listings/${id}`,
      answers: { 200: { listing: { _id: id, status: 'removed' } }, 409: { code: 'LISTING_NOT_ACTIVE' } },
      check: async () => {
        expect(await listingsOf(seller)).toMatchObject([{ status: 'removed' }])
        expect(await world.appleJuice(seller)).toBe(1_000)
      },
    }
  },
  'a price is changed once with an idempotency key': async () => {
    const seller = await world.createWallet()
    const id = await world.list(seller)
    return {
      player: seller,
      asks: `PATCH /marketplace/listings/${id}`,
      headers: { 'idempotency-key': randomUUID() },
      payload: { price: 0.5 },
      answers: { 200: { listing: { _id: id, price: 0.5 } } },
      check: async () => expect(await priceChangesOf(id)).toBe(1),
    }
  },
  'all listings are removed': async () => {
    const seller = await world.createWallet()
    const ids = [await world.list(seller), await world.list(seller)]
    return {
      player: seller,
      asks: 'DELETE /marketplace/listings?status=active',
      answers: { 200: { kept: [] } },
      check: async () => {
        expect(await listingsOf(seller)).toMatchObject(ids.map((id) => ({ id, status: 'removed' })))
        expect(await world.appleJuice(seller)).toBe(1_000)
      },
    }
  },
  'a listing is held once': async () => {
    const { buyer, listingId } = await market()
    return {
      player: buyer,
      asks: `POST /marketplace/buy/${listingId}`,
      answers: { 200: { transactionDetails: { listingId } } },
      check: async () => expect(await purchasesOf(buyer)).toMatchObject([{ status: 'held' }]),
    }
  },
  'a hold is cancelled': async () => {
    const { buyer, purchaseId } = await heldListing()
    return {
      player: buyer,
      asks: `DELETE /marketplace/purchases/${purchaseId}`,
      answers: { 200: { purchase: { purchaseId, status: 'held', payMillisLeft: 0 } } },
      check: async () => expect(await world.read(purchaseId)).toMatchObject({ status: 'held', payMillisLeft: 0 }),
    }
  },
  'a payment is recorded once': async () => {
    const { buyer, purchase, purchaseId } = await heldListing()
    const { base64, signature } = await world.signPayment(buyer, purchase)
    return {
      player: buyer,
      asks: `POST /marketplace/purchases/${purchaseId}/payment`,
      payload: { transaction: base64 },
      answers: { 200: { signature } },
      check: async () => expect(await world.read(purchaseId)).toMatchObject({ signature, stage: 'sent' }),
    }
  },
  'a payment is confirmed, and delivered once': async () => {
    const { buyer, listingId, purchase } = await heldListing()
    const payment = await world.signPayment(buyer, purchase)
    await world.submit(buyer, purchase, payment)
    const commitment = async () => (await world.chain.statuses([payment.signature])).get(payment.signature)?.commitment
    await expect.poll(commitment, waiting).toMatch(/confirmed|finalized/)
    return {
      player: buyer,
      asks: 'POST /marketplace/confirm-purchase',
      payload: { listingId, transactionSignature: payment.signature },
      answers: { 200: { purchase: { status: 'settled', signature: payment.signature } } },
      check: async () => expect(await world.appleJuice(buyer)).toBe(1_010),
    }
  },
  'a refund is prepared, with one reference': async () => {
    const { seller, caseId } = await openCase()
    return {
      player: seller,
      asks: `POST /marketplace/cases/${caseId}/refund`,
      answers: { 200: { refundDetails: { caseId } } },
      check: async () => expect(await world.casesOf(seller)).toMatchObject([{ status: 'open' }]),
    }
  },
  'a refund is recorded once': async () => {
    const { seller, caseId } = await openCase()
    const { base64, signature } = await world.signRefund(seller, { caseId })
    return {
      player: seller,
      asks: `POST /marketplace/cases/${caseId}/refund-payment`,
      payload: { transaction: base64 },
      answers: { 200: { signature } },
      check: async () => expect(await world.casesOf(seller)).toMatchObject([{ status: 'refunding' }]),
    }
  },
  'tokens are credited once': async () => {
    const player = await world.createWallet()
    return {
      player: 'studio',
      asks: 'POST /studio/credits',
      payload: { walletAddress: player.address, tokenType: 'APPLE_JUICE', amount: 5, idempotencyKey: randomUUID() },
      answers: { 200: { credit: { walletAddress: player.address, amount: 5 } } },
      check: async () => expect(await world.appleJuice(player)).toBe(1_005),
    }
  },
  'a case is closed': async () => {
    const { seller, caseId } = await openCase()
    return {
      player: 'studio',
      asks: 'POST /studio/cases',
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
  it.each(Object.entries(writes))('%s', async (_name, arrange) => {
    expect(await loseEachAnswer(arrange)).toBeGreaterThan(0)
  })
})

describe('a new studio key', () => {
  it('whose outcome is not known says that asking again is not safe: its secret is lost', async () => {
    const write = { player: 'studio', asks: 'POST /studio/keys', payload: { name: 'game', scopes: ['read'] } } as const
    const unsafe = { error: expect.stringContaining('so look before you ask again') }
    expect(await askInVain(write)).toMatchObject({ statusCode: 503, body: unsafe })
  })
})

describe('a listing without an idempotency key', () => {
  it('whose outcome is not known says that asking again is not safe', async () => {
    const payload = { tokenType: 'APPLE_JUICE', price: 0.5, amount: 10 }
    const write = { player: world.seller, asks: 'POST /marketplace/listings', payload } as const
    const unsafe = { error: expect.stringContaining('may have been done, so look before you ask again') }
    expect(await askInVain(write)).toMatchObject({ statusCode: 503, body: unsafe })
  })
})

describe('a read', () => {
  it('whose answer from the database is lost speaks of nothing that may have been done', async () => {
    expect(await askInVain({ player: world.seller, asks: 'GET /marketplace/my-listings' })).toEqual({
      statusCode: 503,
      body: { code: 'DATABASE_DOWN', error: 'The market cannot reach its database right now. Please try again in a moment.' },
    })
  })
})

interface CuttingProxy {
  /** The database's URL through the proxy. */
  url: string
  /**
   * Cuts the connection whose answer is the n-th from now on: PostgreSQL has carried the statement out, and nobody hears of it.
   * @returns a function that calls it off and tells whether a connection was cut
   */
  cutAfter(answers: number): () => boolean
  stop(): Promise<void>
}

/** A proxy in front of PostgreSQL that can lose its answers. */
async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let answersLeft = Infinity
  let cut = false

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const countAnswers = createAnswerCounter()
    const endWith = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
    }
    endWith(near, far)
    endWith(far, near)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes: Buffer) => {
      answersLeft -= countAnswers(bytes)
      if (answersLeft > 0) return near.write(bytes)
      answersLeft = Infinity
      cut = true
      return near.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutAfter: (answers) => {
      answersLeft = answers
      cut = false
      return () => {
        answersLeft = Infinity
        return cut
      }
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** A message's type and length. */
const HEADER_BYTES = 5

/** Counts the statements that are answered in the bytes of one connection: each ends in ReadyForQuery, as does the connection's start. */
function createAnswerCounter(): (bytes: Buffer) => number {
  let rest = Buffer.alloc(0)
  let started = false
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    let answers = 0
    while (rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === READY_FOR_QUERY && started) answers += 1
      if (rest[0] === READY_FOR_QUERY) started = true
      rest = rest.subarray(rest.readInt32BE(1) + 1)
    }
    return answers
  }
}
