import { base58 } from '@scure/base'
import { type Purchase } from '@juicebar/contract/schemas'
import { signBytes } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { useTradingWorld, type Wallet, waiting } from './purchases/trading-world.ts'
import { documentedCalls, type DocumentedCall, openApp, studioApiKey } from './support/start-app.ts'

/** Everything goes over HTTP, to two servers that share a database, as any client would do it. */
const world = useTradingWorld()
let servers: Awaited<ReturnType<typeof openApp>>[]
let one: DocumentedCall
let other: DocumentedCall

beforeAll(async () => {
  const { chain, databaseUrl } = world
  const start = () => openApp(databaseUrl, { chain })
  servers = await Promise.all([start(), start()])
  for (const { started } of servers) await started
  const calls = servers.map(({ origin }) => documentedCalls(origin))
  ;[one, other] = (await Promise.all(calls)) as [DocumentedCall, DocumentedCall]
})

afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))))

async function signIn(call: DocumentedCall, { address: walletAddress, signer }: Wallet): Promise<string> {
  const { body } = await call('POST', '/auth/nonce', undefined, { walletAddress })
  const signature = base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(body.message)))
  return (await call('POST', '/auth/verify', undefined, { walletAddress, signature })).body.token
}

async function startTrade() {
  const [seller, buyer] = [await world.createWallet(), world.buyer]
  const [sellerToken, buyerToken] = await Promise.all([signIn(one, seller), signIn(other, buyer)])
  const offered = { price: 0.25, amount: 12, divisible: true }
  const created = await one('POST', '/marketplace/listings', sellerToken, { tokenName: 'Apple Juice', ...offered })
  expect(created).toMatchObject({ status: 201, body: { listing: { tokenType: 'APPLE_JUICE', ...offered, status: 'active' } } })
  const listingId: string = created.body.listing._id
  /** Its transaction details are the purchase that is to be paid. */
  const buy = async (call: DocumentedCall, body?: object) => {
    const bought = await call('POST', `/marketplace/buy/${listingId}`, buyerToken, body)
    expect(bought).toMatchObject({
      status: 200,
      body: { transactionDetails: { seller: seller.address, price: 0.25, lamports: '250000000' } },
    })
    return bought.body.transactionDetails as Purchase
  }
  const confirm = (call: DocumentedCall, transactionSignature: string) =>
    call('POST', '/marketplace/confirm-purchase', buyerToken, { listingId, transactionSignature })
  return { seller, buyer, sellerToken, buyerToken, listingId, buy, confirm }
}

const appleJuice = async (call: DocumentedCall, { address }: Wallet, token: string): Promise<number> =>
  (await call('GET', `/tokens/balance/${address}`, token)).body.balances.appleJuice
const lamportsOf = ({ address }: Wallet) => world.chain.balance(address, { fresh: true })

describe('a whole trade over HTTP', () => {
  it('through the payment call: SOL and tokens move once, whichever server is asked', async () => {
    const { seller, buyer, sellerToken, buyerToken, listingId, buy, confirm } = await startTrade()
    const quoted = await other('GET', `/marketplace/quote?tokenType=APPLE_JUICE&amount=12&excludeSeller=${buyer.address}`)
    expect(quoted).toMatchObject({ status: 200, body: { items: [{ listingId }], lamports: '250000000', complete: true } })
    const solBefore = await lamportsOf(seller)
    const purchase = await buy(other)
    const removed = await one('DELETE', `/marketplace/listings/${listingId}`, sellerToken)
    expect(removed).toMatchObject({ status: 409, body: { code: 'LISTING_HELD_BY_BUYER' } })

    const { base64, signature } = await world.signPayment(buyer, purchase)
    const sent = await one('POST', `/marketplace/purchases/${purchase.purchaseId}/payment`, buyerToken, { transaction: base64 })
    expect(sent).toEqual({ status: 200, body: { signature } })

    await expect.poll(async () => (await confirm(other, signature)).status, waiting).toBe(200)
    expect(await confirm(one, signature)).toMatchObject({
      status: 200,
      body: { purchase: { status: 'settled', stage: 'delivered', signature } },
    })

    expect(await appleJuice(other, buyer, buyerToken)).toBe(1_012)
    expect(await appleJuice(one, seller, sellerToken)).toBe(988)
    expect(await lamportsOf(seller)).toBe(solBefore + 250_000_000n)
    const sold = await one('GET', '/marketplace/my-listings?status=sold', sellerToken)
    expect(sold.body).toMatchObject({ listings: [{ _id: listingId, status: 'sold' }] })
  })

  it('shows in prices and charts of both servers, as does what is for sale', async () => {
    const figures = async (call: DocumentedCall) => {
      const get = async (path: string) => (await call('GET', `/marketplace/${path}`)).body
      const { trades } = await get('trades?tokenType=APPLE_JUICE')
      const { candles } = await get('candles?tokenType=APPLE_JUICE&step=5m')
      const depth = await get('depth?tokenType=APPLE_JUICE')
      const [apple] = (await get('summary')).items
      return {
        last: trades[0]?.signature,
        traded: candles.reduce((sum: number, candle: { trades: number }) => sum + candle.trades, 0) === trades.length,
        depth: depth.amount === apple.amount,
        floor: depth.floor === apple.floor,
        price: apple.last,
      }
    }
    const { buyer, buy } = await startTrade()
    for (const call of [one, other]) await figures(call)
    const last = await world.payByWallet(buyer, await buy(one))
    for (const call of [one, other]) {
      await expect.poll(() => figures(call), waiting).toEqual({ last, traded: true, depth: true, floor: true, price: 0.020833333 })
    }
  })

  it('by a client that knows only the specification', async () => {
    const { seller, buyer, buyerToken, buy, confirm } = await startTrade()
    const solBefore = await lamportsOf(seller)
    const signature = await world.payByWallet(buyer, await buy(one), { references: [] })
    expect(await confirm(one, signature)).toMatchObject({ status: 200 })
    expect(await appleJuice(one, buyer, buyerToken)).toBe(1_012)
    expect(await lamportsOf(seller)).toBe(solBefore + 250_000_000n)
  })

  it('without a confirm call: reconciliation delivers', async () => {
    const { buyer, buyerToken, buy } = await startTrade()
    await world.payByWallet(buyer, await buy(one))
    await expect.poll(() => appleJuice(other, buyer, buyerToken), waiting).toBe(1_012)
  })

  it('refuses a listing to its own seller, a missing one, and a confirmation without a hold', async () => {
    const { sellerToken, buyerToken, listingId, confirm } = await startTrade()
    const own = { error: 'You cannot buy your own listing!', code: 'OWN_LISTING' }
    expect(await one('POST', `/marketplace/buy/${listingId}`, sellerToken)).toEqual({ status: 409, body: own })
    expect(await one('POST', '/marketplace/buy/nothing', buyerToken)).toMatchObject({ status: 404 })
    expect(await one('POST', `/marketplace/buy/${listingId}`)).toMatchObject({ status: 401 })
    const signature = base58.encode(new Uint8Array(64).fill(7))
    expect(await confirm(one, signature)).toMatchObject({ status: 409, body: { code: 'NO_HOLD' } })
  })

  it('lists at once what was created, and returns the tokens of a removed listing', async () => {
    const { seller, sellerToken, listingId } = await startTrade()
    expect(await appleJuice(one, seller, sellerToken)).toBe(988)
    const listing = { _id: listingId, tokenName: 'Apple Juice', unitPrice: 0.020833333333333332 }
    const found = await other('GET', `/marketplace/listings?seller=${seller.address}`)
    expect(found.body).toMatchObject({ listings: [listing], nextCursor: null })
    const removed = await other('DELETE', `/marketplace/listings/${listingId}`, sellerToken)
    expect(removed).toMatchObject({ status: 200, body: { listing: { status: 'removed' } } })
    expect(await appleJuice(one, seller, sellerToken)).toBe(1_000)
  })
})

describe('a seller over HTTP', () => {
  it('changes a price, and hears how long to wait for the next change', async () => {
    const { sellerToken, buyerToken, listingId } = await startTrade()
    const path = `/marketplace/listings/${listingId}`
    const changed = await one('PATCH', path, sellerToken, { price: 0.12 })
    expect(changed).toMatchObject({ status: 200, body: { listing: { _id: listingId, price: 0.12, amount: 12 } } })
    expect(await other('GET', path)).toMatchObject({ body: { listing: { price: 0.12 } } })
    const quote = await other('GET', '/marketplace/quote?tokenType=APPLE_JUICE&amount=3', buyerToken)
    expect(quote.body.items).toContainEqual(expect.objectContaining({ listingId, lamports: '30000000' }))

    const again = await fetch(`${servers[1]?.origin}/api${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${sellerToken}`, 'content-type': 'application/json' },
      body: '{"price":0.6}',
    })
    expect([again.status, await again.json()]).toEqual([429, expect.objectContaining({ code: 'PRICE_JUST_CHANGED' })])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const price of [0.0005, '1'])
      expect(await one('PATCH', path, sellerToken, { price })).toMatchObject({ status: 400, body: { code: 'PRICE_INVALID' } })
    expect(await one('PATCH', path, buyerToken, { price: 1 })).toMatchObject({ status: 403, body: { code: 'NOT_YOUR_LISTING' } })
  })

  it('removes all listings, only if the call says so', async () => {
    const { sellerToken, listingId } = await startTrade()
    for (const query of ['', '?status=sold', '?status=all'])
      expect((await one('DELETE', `/marketplace/listings${query}`, sellerToken)).status).toBe(400)
    expect(await one('GET', `/marketplace/listings/${listingId}`)).toMatchObject({ body: { listing: { status: 'active' } } })
    const removed = await one('DELETE', '/marketplace/listings?status=active', sellerToken)
    expect(removed).toEqual({ status: 200, body: { removed: 1, kept: [] } })
  })

  it('may change prices from a page in the browser', async () => {
    const reply = await fetch(`${servers[0]?.origin}/api/marketplace/listings/1`, {
      method: 'OPTIONS',
      headers: { origin: servers[0]?.origin ?? '', 'access-control-request-method': 'PATCH' },
    })
    expect(reply.headers.get('access-control-allow-methods')).toContain('PATCH')
  })
})

describe('the studio over HTTP', () => {
  it('sees the holds that only it can end, and ends one with a reason that the buyer reads', async () => {
    const { buyerToken, listingId, buy } = await startTrade()
    const { purchaseId } = await buy(one)
    const release = (body: unknown, key = studioApiKey) => other('POST', `/studio/purchases/${purchaseId}/release`, key, body)
    const reason = 'Nobody can prove it, and nobody claims it.'
    expect(await release({ reason })).toMatchObject({ status: 409, body: { code: 'NOT_RELEASABLE' } })

    const { pool } = world.connection
    for (const endpoint of world.chain.endpoints()) {
      await pool.query(
        `insert into history_searches (purchase_id, endpoint, address, pages, listed, decided, obstacle, first_slot)
         values ($1, $2, 'buyer', 0, false, false, 'pruned', 1000000)`,
        [purchaseId, endpoint],
      )
    }
    await pool.query('update purchases set pay_before = now(), release_height = 0, reconcile_at = now() where id = $1', [purchaseId])
    const held = async () => (await one('GET', '/studio/purchases?status=held', studioApiKey)).body.purchases
    await expect.poll(held, waiting).toContainEqual(expect.objectContaining({ purchaseId, waitsForStudio: true }))
    expect((await other('GET', `/marketplace/listings/${listingId}`)).body).toMatchObject({ listing: { waitsForStudio: true } })

    expect(await release({ reason }, buyerToken)).toMatchObject({ status: 403, body: { code: 'NOT_STAFF' } })
    expect(await release({ reason: '' })).toMatchObject({ status: 400, body: { code: 'FIELDS_MISSING' } })
    const ended = { purchaseId, status: 'ended', endReason: 'released', releaseReason: reason, waitsForStudio: false }
    expect(await release({ reason })).toMatchObject({ status: 200, body: { purchase: ended } })
    expect((await one('GET', '/marketplace/my-purchases', buyerToken)).body).toMatchObject({ purchases: [ended] })
    expect((await one('GET', `/marketplace/listings/${listingId}`)).body).toMatchObject({ listing: { heldUntil: null } })
  })

  it('credits once for each idempotency key, and its audit adds up', async () => {
    const { address: walletAddress } = world.buyer
    const token = await signIn(one, world.buyer)
    const order = { walletAddress, tokenType: 'GRAPE_SODA', amount: 5, idempotencyKey: 'order-1' }
    const post = (path: string, body: object, call = one) => call('POST', `/studio/${path}`, studioApiKey, body)
    const first = await post('credits', order)
    expect(first).toMatchObject({ status: 200, body: { credit: { amount: 5, direction: 'credit' } } })
    const replays = await Promise.all(Array.from({ length: 10 }, () => post('credits', order, other)))
    expect(replays).toEqual(Array.from({ length: 10 }, () => first))
    const changed = await post('credits', { ...order, amount: 6 })
    expect(changed).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    const tooMany = { ...order, amount: 6, idempotencyKey: 'order-2' }
    expect(await post('debits', tooMany)).toMatchObject({ status: 409, body: { code: 'INSUFFICIENT_TOKENS' } })
    expect(await post('debits', { ...tooMany, amount: 2 })).toMatchObject({ status: 200 })
    expect((await one('GET', `/tokens/balance/${walletAddress}`, token)).body).toMatchObject({ balances: { grapeSoda: 3 } })
    expect(await one('GET', '/studio/audit', studioApiKey)).toMatchObject({ status: 200, body: { ok: true, violations: [] } })
    expect((await one('GET', '/studio/log?limit=1', studioApiKey)).body.log).toMatchObject([{ call: 'startAudit', key: 'root key' }])
    expect(await one('GET', '/studio/audit', 'another-key-than-the-one')).toMatchObject({ status: 401 })
  })

  it('starts an audit that any server carries out and shows', async () => {
    const started = await one('POST', '/studio/audits', studioApiKey, { full: true })
    expect(started).toMatchObject({ status: 202, body: { audit: { full: true, violations: [] } } })
    const path = `/studio/audits/${started.body.audit.id}`
    const done = { status: 200, body: { audit: { status: 'done', ok: true } } }
    await expect.poll(() => other('GET', path, studioApiKey), waiting).toMatchObject(done)
    expect(await one('POST', '/studio/audits', studioApiKey)).toMatchObject({ status: 202, body: { audit: { full: false } } })
    const none = await one('GET', '/studio/audits/none', studioApiKey)
    expect(none).toMatchObject({ status: 404, body: { code: 'AUDIT_NOT_FOUND' } })
    expect(await one('GET', path, 'another-key-than-the-one')).toMatchObject({ status: 401 })
  })
})

describe('an idempotency key that cannot be stored as it is', () => {
  it.each(['\ud800', '\udbff'])('is refused, for it would be taken for another', async (idempotencyKey) => {
    const order = { walletAddress: world.buyer.address, tokenType: 'GRAPE_SODA', amount: 5, idempotencyKey }
    const refused = { status: 400, body: { error: '"idempotencyKey" must be well-formed Unicode.' } }
    expect(await one('POST', '/studio/credits', studioApiKey, order)).toMatchObject(refused)
  })
})

interface SeenEvent {
  id: string
  type: string
  data: unknown
}

/** Opens the event stream of a server. @returns a function that reads it up to the first event that is wanted, and closes it */
async function openEvents({ origin }: { origin: string }, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/api/marketplace/events`, { headers })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  return async (isLast: (event: SeenEvent, earlier: SeenEvent[]) => boolean): Promise<SeenEvent[]> => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const frames = [...text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n/gm)]
      const seen = frames.map(([, id = '', type = '', data = '']) => ({ id, type, data: JSON.parse(data) }))
      const last = seen.findIndex((event, index) => isLast(event, seen.slice(0, index)))
      if (last !== -1) return seen.slice(0, last + 1)
    }
    throw new Error(`the stream ended after ${text}`)
  }
}

describe('market events', () => {
  it('of one server reach the readers of the other, and a reader that reconnects misses none', async () => {
    const { sellerToken, listingId } = await startTrade()
    const ofThisListing = (event: SeenEvent) => JSON.stringify(event.data).includes(listingId)
    const removal = (event: SeenEvent) => event.type === 'listing.removed' && ofThisListing(event)
    const strangerUntil = await openEvents(servers[1]!)
    const ownerUntil = await openEvents(servers[1]!, { authorization: `Bearer ${sellerToken}` })
    const [seen, seenByOwner] = await Promise.all([
      strangerUntil(removal),
      ownerUntil((event, earlier) => event.type === 'balance.changed' && earlier.some(removal)),
      one('DELETE', `/marketplace/listings/${listingId}`, sellerToken),
    ])
    expect(seen.map((event) => event.type)).not.toContain('balance.changed')
    expect(seenByOwner.map((event) => event.type).slice(-2)).toEqual(['listing.removed', 'balance.changed'])

    const again = await (await openEvents(servers[0]!, { 'last-event-id': seen.at(-2)?.id ?? '' }))(removal)
    expect(again.filter(ofThisListing)).toEqual(seen.slice(-1))
    const lost = await (await openEvents(servers[0]!, { 'last-event-id': '1-1' }))((event) => event.type === 'ready')
    expect(lost.map((event) => event.type)).toEqual(['reset', 'ready'])
  })
})
