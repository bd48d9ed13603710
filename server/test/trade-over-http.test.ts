import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { defaultCatalogue } from './support/catalogue.ts'
import { createApp } from '../src/app.ts'
import { createRelay } from '../src/chain/relay/relay.ts'
import { readConfig } from '../src/settings/config.ts'
import { checkAgainstDocument, type DocumentCheck } from './http/documented.ts'
import {
  expectAllAddsUp,
  openTradingWorld,
  sendByWallet,
  signPayment,
  type TradingWorld,
  type Wallet,
  waiting,
} from './purchases/trading-world.ts'

/** Everything goes over HTTP, to two servers that share a database, as any client would do it. */
interface Node {
  url: string
  stop(): Promise<void>
}

const studioApiKey = 'studio-key-of-this-test'
const migrationsFolder = new URL('../migrations', import.meta.url).pathname

let world: TradingWorld
let one: Node
let other: Node
let problemsOf: DocumentCheck

beforeAll(async () => {
  world = await openTradingWorld()
  one = await startNode()
  other = await startNode()
  problemsOf = await checkAgainstDocument(one.url)
})

afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await expectAllAddsUp(world)
  await world.close()
})

async function startNode(): Promise<Node> {
  const { connection, chain } = world
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey,
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: world.deps.log,
    failures: world.deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  return { url: app.fastify.listeningOrigin, stop: () => app.stop() }
}

interface Answer {
  status: number
  body: Record<string, unknown>
}

/** Every reply must be one that the API document describes. */
async function call(node: Node, method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(problemsOf(method, path, { status: response.status, headers: response.headers, text })).toEqual([])
  return { status: response.status, body: text ? JSON.parse(text) : {} }
}

/** Picks a field that the contract promises; the test fails if it is missing. */
function pick<T = string>(answer: Answer, ...path: string[]): T {
  let value: unknown = answer.body
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  expect(value, `${path.join('.')} of ${JSON.stringify(answer)}`).toBeDefined()
  return value as T
}

async function signIn(node: Node, wallet: Wallet): Promise<string> {
  const nonce = await call(node, 'POST', '/api/auth/nonce', undefined, { walletAddress: wallet.address })
  const message = new TextEncoder().encode(pick(nonce, 'message'))
  const signature = base58.encode(await signBytes(wallet.signer.keyPair.privateKey, message))
  return pick(await call(node, 'POST', '/api/auth/verify', undefined, { walletAddress: wallet.address, signature }), 'token')
}

async function startTrade() {
  const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
  const [sellerToken, buyerToken] = await Promise.all([signIn(one, seller), signIn(other, buyer)])
  const created = await call(one, 'POST', '/api/marketplace/listings', sellerToken, {
    tokenName: 'Apple Juice',
    price: 0.25,
    amount: 12,
    divisible: true,
  })
  expect(created).toMatchObject({
    status: 201,
    body: { listing: { tokenType: 'APPLE_JUICE', price: 0.25, amount: 12, divisible: true, status: 'active' } },
  })
  return { seller, buyer, sellerToken, buyerToken, listingId: pick(created, 'listing', '_id') }
}

const balanceOf = async (node: Node, wallet: Wallet, token: string) =>
  pick<number>(await call(node, 'GET', `/api/tokens/balance/${wallet.address}`, token), 'balances', 'appleJuice')

describe('a whole trade over HTTP', () => {
  it('through the payment call: SOL and tokens move once, whichever server is asked', async () => {
    const { seller, buyer, sellerToken, buyerToken, listingId } = await startTrade()
    const quoted = await call(other, 'GET', `/api/marketplace/quote?tokenType=APPLE_JUICE&amount=12&excludeSeller=${buyer.address}`)
    expect(quoted).toMatchObject({ status: 200, body: { items: [{ listingId }], lamports: '250000000', complete: true } })
    const solBefore = await world.chain.balance(seller.address, { fresh: true })
    const bought = await call(other, 'POST', `/api/marketplace/buy/${listingId}`, buyerToken, { sendsThrough: 'server' })
    expect(bought).toMatchObject({
      status: 200,
      body: { transactionDetails: { seller: seller.address, price: 0.25, lamports: '250000000' } },
    })
    expect(await call(one, 'DELETE', `/api/marketplace/listings/${listingId}`, sellerToken)).toMatchObject({
      status: 409,
      body: { code: 'LISTING_HELD_BY_BUYER' },
    })

    const details = pick<Parameters<typeof signPayment>[2]>(bought, 'transactionDetails')
    const payment = await signPayment(world, buyer, details)
    const sent = await call(one, 'POST', `/api/marketplace/purchases/${details.purchaseId}/payment`, buyerToken, {
      transaction: payment.base64,
    })
    expect(sent).toEqual({ status: 200, body: { signature: payment.signature } })

    const confirmation = { listingId, transactionSignature: payment.signature }
    await expect
      .poll(async () => (await call(other, 'POST', '/api/marketplace/confirm-purchase', buyerToken, confirmation)).status, waiting)
      .toBe(200)
    const first = await call(one, 'POST', '/api/marketplace/confirm-purchase', buyerToken, confirmation)
    expect(first).toMatchObject({
      status: 200,
      body: { purchase: { status: 'settled', stage: 'delivered', signature: payment.signature } },
    })

    expect(await balanceOf(other, buyer, buyerToken)).toBe(1_012)
    expect(await balanceOf(one, seller, sellerToken)).toBe(988)
    expect(await world.chain.balance(seller.address, { fresh: true })).toBe(solBefore + 250_000_000n)
    const sold = await call(one, 'GET', '/api/marketplace/my-listings?status=sold', sellerToken)
    expect(sold.body).toMatchObject({ listings: [{ _id: listingId, status: 'sold' }] })
  })

  it('shows in prices and charts of both servers, as does what is for sale', async () => {
    const figures = async (node: Node) => {
      const get = (path: string) => call(node, 'GET', `/api/marketplace/${path}`)
      const trades = pick<{ signature: string }[]>(await get('trades?tokenType=APPLE_JUICE'), 'trades')
      const candles = pick<{ trades: number }[]>(await get('candles?tokenType=APPLE_JUICE&step=5m'), 'candles')
      const depth = await get('depth?tokenType=APPLE_JUICE')
      const [apple] = pick<Record<string, unknown>[]>(await get('summary'), 'items')
      return {
        last: trades[0]?.signature,
        traded: candles.reduce((sum, candle) => sum + candle.trades, 0) === trades.length,
        depth: pick(depth, 'amount') === apple?.['amount'],
        floor: pick(depth, 'floor') === apple?.['floor'],
        price: apple?.['last'],
      }
    }
    const { buyer, buyerToken, listingId } = await startTrade()
    for (const node of [one, other]) await figures(node)
    const bought = await call(one, 'POST', `/api/marketplace/buy/${listingId}`, buyerToken)
    const last = await sendByWallet(world, await signPayment(world, buyer, pick(bought, 'transactionDetails')))
    for (const node of [one, other]) {
      await expect.poll(() => figures(node), waiting).toEqual({ last, traded: true, depth: true, floor: true, price: 0.020833333 })
    }
  })

  it('by a client that knows only the specification', async () => {
    const { seller, buyer, buyerToken, listingId } = await startTrade()
    const solBefore = await world.chain.balance(seller.address, { fresh: true })
    const bought = await call(one, 'POST', `/api/marketplace/buy/${listingId}`, buyerToken)
    const details = pick<Parameters<typeof signPayment>[2]>(bought, 'transactionDetails')
    const signature = await sendByWallet(world, await signPayment(world, buyer, details, { references: [] }))
    const confirmation = { listingId, transactionSignature: signature }
    expect(await call(one, 'POST', '/api/marketplace/confirm-purchase', buyerToken, confirmation)).toMatchObject({ status: 200 })
    expect(await balanceOf(one, buyer, buyerToken)).toBe(1_012)
    expect(await world.chain.balance(seller.address, { fresh: true })).toBe(solBefore + 250_000_000n)
  })

  it('without a confirm call: reconciliation delivers', async () => {
    const { buyer, buyerToken, listingId } = await startTrade()
    const bought = await call(one, 'POST', `/api/marketplace/buy/${listingId}`, buyerToken)
    await sendByWallet(world, await signPayment(world, buyer, pick(bought, 'transactionDetails')))
    await expect.poll(() => balanceOf(other, buyer, buyerToken), waiting).toBe(1_012)
  })

  it('refuses a listing to its own seller, a missing one, and a confirmation without a hold', async () => {
    const { sellerToken, buyerToken, listingId } = await startTrade()
    const signature = base58.encode(new Uint8Array(64).fill(7))
    expect(await call(one, 'POST', `/api/marketplace/buy/${listingId}`, sellerToken)).toEqual({
      status: 409,
      body: { error: 'You cannot buy your own listing!', code: 'OWN_LISTING' },
    })
    expect(await call(one, 'POST', '/api/marketplace/buy/nothing', buyerToken)).toMatchObject({ status: 404 })
    expect(await call(one, 'POST', `/api/marketplace/buy/${listingId}`)).toMatchObject({ status: 401 })
    expect(
      await call(one, 'POST', '/api/marketplace/confirm-purchase', buyerToken, { listingId, transactionSignature: signature }),
    ).toMatchObject({ status: 409, body: { code: 'NO_HOLD' } })
  })

  it('lists at once what was created, and returns the tokens of a removed listing', async () => {
    const { seller, sellerToken, listingId } = await startTrade()
    expect(await balanceOf(one, seller, sellerToken)).toBe(988)
    const found = await call(other, 'GET', `/api/marketplace/listings?seller=${seller.address}`)
    expect(found.body).toMatchObject({
      listings: [{ _id: listingId, tokenName: 'Apple Juice', unitPrice: 0.020833333333333332 }],
      nextCursor: null,
    })
    expect(await call(other, 'DELETE', `/api/marketplace/listings/${listingId}`, sellerToken)).toMatchObject({
      status: 200,
      body: { listing: { status: 'removed' } },
    })
    expect(await balanceOf(one, seller, sellerToken)).toBe(1_000)
  })
})

describe('the studio over HTTP', () => {
  it('sees the holds that only it can end, and ends one with a reason that the buyer reads', async () => {
    const { buyerToken, listingId } = await startTrade()
    const bought = await call(one, 'POST', `/api/marketplace/buy/${listingId}`, buyerToken)
    const id = pick(bought, 'transactionDetails', 'purchaseId')
    const release = (body: unknown, key = studioApiKey) => call(other, 'POST', `/api/studio/purchases/${id}/release`, key, body)
    const reason = 'Nobody can prove it, and nobody claims it.'
    expect(await release({ reason })).toMatchObject({ status: 409, body: { code: 'NOT_RELEASABLE' } })

    const { pool } = world.connection
    for (const endpoint of world.chain.endpoints()) {
      await pool.query(
        `insert into history_searches (purchase_id, endpoint, address, pages, listed, decided, obstacle, first_slot)
         values ($1, $2, 'buyer', 0, false, false, 'pruned', 1000000)`,
        [id, endpoint],
      )
    }
    await pool.query('update purchases set pay_before = now(), release_height = 0, reconcile_at = now() where id = $1', [id])
    const waitsForStudio = async () =>
      pick<{ purchaseId: string; waitsForStudio: boolean }[]>(
        await call(one, 'GET', '/api/studio/purchases?status=held', studioApiKey),
        'purchases',
      ).some((purchase) => purchase.purchaseId === id && purchase.waitsForStudio)
    await expect.poll(waitsForStudio, waiting).toBe(true)
    expect(pick(await call(other, 'GET', `/api/marketplace/listings/${listingId}`), 'listing', 'waitsForStudio')).toBe(true)

    expect(await release({ reason }, buyerToken)).toMatchObject({ status: 403, body: { code: 'NOT_STAFF' } })
    expect(await release({ reason: '' })).toMatchObject({ status: 400, body: { code: 'FIELDS_MISSING' } })
    const ended = { purchaseId: id, status: 'ended', endReason: 'released', releaseReason: reason, waitsForStudio: false }
    expect(await release({ reason })).toMatchObject({ status: 200, body: { purchase: ended } })
    expect((await call(one, 'GET', '/api/marketplace/my-purchases', buyerToken)).body).toMatchObject({ purchases: [ended] })
    expect((await call(one, 'GET', `/api/marketplace/listings/${listingId}`)).body).toMatchObject({ listing: { heldUntil: null } })
  })

  it('credits once for each idempotency key, and its audit adds up', async () => {
    const wallet = await world.createWallet()
    const token = await signIn(one, wallet)
    const order = { walletAddress: wallet.address, tokenType: 'GRAPE_SODA', amount: 5, idempotencyKey: 'order-1' }
    const first = await call(one, 'POST', '/api/studio/credits', studioApiKey, order)
    expect(first).toMatchObject({ status: 200, body: { credit: { amount: 5, direction: 'credit' } } })
    const replays = await Promise.all(Array.from({ length: 10 }, () => call(other, 'POST', '/api/studio/credits', studioApiKey, order)))
    expect(replays).toEqual(Array.from({ length: 10 }, () => first))
    expect(await call(one, 'POST', '/api/studio/credits', studioApiKey, { ...order, amount: 6 })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    })
    const tooMany = { ...order, amount: 6, idempotencyKey: 'order-2' }
    expect(await call(one, 'POST', '/api/studio/debits', studioApiKey, tooMany)).toMatchObject({
      status: 409,
      body: { code: 'INSUFFICIENT_TOKENS' },
    })
    expect(await call(one, 'POST', '/api/studio/debits', studioApiKey, { ...tooMany, amount: 2 })).toMatchObject({ status: 200 })
    expect(pick(await call(one, 'GET', `/api/tokens/balance/${wallet.address}`, token), 'balances', 'grapeSoda')).toBe(3)
    expect(await call(one, 'GET', '/api/studio/audit', studioApiKey)).toMatchObject({ status: 200, body: { ok: true, violations: [] } })
    expect(await call(one, 'GET', '/api/studio/audit', 'another-key-than-the-one')).toMatchObject({ status: 401 })
  })

  it('starts an audit that any server carries out and shows', async () => {
    const started = await call(one, 'POST', '/api/studio/audits', studioApiKey, { full: true })
    expect(started).toMatchObject({ status: 202, body: { audit: { full: true, violations: [] } } })
    const path = `/api/studio/audits/${String(pick(started, 'audit', 'id'))}`
    await vi.waitFor(async () => {
      expect(await call(other, 'GET', path, studioApiKey)).toMatchObject({ status: 200, body: { audit: { status: 'done', ok: true } } })
    }, waiting)
    expect(await call(one, 'POST', '/api/studio/audits', studioApiKey)).toMatchObject({ status: 202, body: { audit: { full: false } } })
    expect(await call(one, 'GET', '/api/studio/audits/none', studioApiKey)).toMatchObject({
      status: 404,
      body: { code: 'AUDIT_NOT_FOUND' },
    })
    expect(await call(one, 'GET', path, 'another-key-than-the-one')).toMatchObject({ status: 401 })
  })
})

describe('an idempotency key that cannot be stored as it is', () => {
  it('is refused, for it would be taken for another', async () => {
    const { address: walletAddress } = await world.createWallet()
    for (const idempotencyKey of ['\ud800', '\udbff']) {
      const order = { walletAddress, tokenType: 'GRAPE_SODA', amount: 5, idempotencyKey }
      expect(await call(one, 'POST', '/api/studio/credits', studioApiKey, order)).toMatchObject({
        status: 400,
        body: { error: '"idempotencyKey" must be well-formed Unicode.' },
      })
    }
  })
})

describe('market events', () => {
  it('of one server reach the readers of the other, and a reader that reconnects misses none', async () => {
    const { sellerToken, listingId } = await startTrade()
    const ofThisLot = (event: SeenEvent) => JSON.stringify(event.data).includes(listingId)
    const removal = (event: SeenEvent) => event.type === 'listing.removed' && ofThisLot(event)
    const stranger = await readEvents(other)
    const owner = await readEvents(other, { token: sellerToken })
    const removed = call(one, 'DELETE', `/api/marketplace/listings/${listingId}`, sellerToken)
    const [seen, seenByOwner] = await Promise.all([
      stranger.until(removal),
      owner.until((event, earlier) => event.type === 'balance.changed' && earlier.some(removal)),
      removed,
    ])
    expect(seen.map((event) => event.type)).not.toContain('balance.changed')
    expect(seenByOwner.map((event) => event.type).slice(-2)).toEqual(['listing.removed', 'balance.changed'])

    const beforeRemoval = seen.at(-2)?.id ?? ''
    const again = await (await readEvents(one, { lastEventId: beforeRemoval })).until(removal)
    expect(again.filter(ofThisLot)).toEqual(seen.slice(-1))
    const lost = await (await readEvents(one, { lastEventId: '1-1' })).until((event) => event.type === 'ready')
    expect(lost.map((event) => event.type)).toEqual(['reset', 'ready'])
  })
})

interface SeenEvent {
  id: string
  type: string
  data: unknown
}

/** Opens the event stream. `until` resolves with everything up to the last event that was wanted, and closes it. */
async function readEvents(node: Node, options: { token?: string; lastEventId?: string } = {}) {
  const response = await fetch(`${node.url}/api/marketplace/events`, {
    headers: {
      ...(options.token && { authorization: `Bearer ${options.token}` }),
      ...(options.lastEventId && { 'last-event-id': options.lastEventId }),
    },
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const seen: SeenEvent[] = []
  return {
    until: async (isLast: (event: SeenEvent, earlier: SeenEvent[]) => boolean): Promise<SeenEvent[]> => {
      let text = ''
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        const frames = text.split('\n\n')
        text = frames.pop() ?? ''
        seen.push(...frames.filter((frame) => frame.startsWith('id: ')).map(parseFrame))
        const last = seen.findIndex((event, index) => isLast(event, seen.slice(0, index)))
        if (last === -1) continue
        return seen.slice(0, last + 1)
      }
      throw new Error(`the stream ended after ${JSON.stringify(seen)}`)
    },
  }
}

function parseFrame(frame: string): SeenEvent {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? ''
  return { id: field('id'), type: field('event'), data: JSON.parse(field('data')) }
}
