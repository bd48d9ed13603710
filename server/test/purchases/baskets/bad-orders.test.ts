import { randomUUID } from 'node:crypto'

import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

import { checkAgainstDocument, type DocumentCheck } from '../../http/documented.ts'
import { type Server, startServer } from '../pay-link/pay-link-world.ts'
import { useTradingWorld, type Wallet } from '../trading-world.ts'

/** Listings in each state that an order can meet. */
type Listings = Record<'divisible' | 'whole' | 'other' | 'own' | 'held' | 'removed' | 'dear', string>

const PURCHASES = '/api/marketplace/purchases'

const world = useTradingWorld({ sharesPlayers: true })
let server: Server
let problemsOf: DocumentCheck
let token: string
let known: Listings

beforeAll(async () => {
  server = await startServer(world)
  problemsOf = await checkAgainstDocument(server.origin)
  token = await signIn(world.buyer)
  known = {
    divisible: await world.list(world.seller, { amount: 100, price: 10_000_000n, divisible: true }),
    dear: await world.list(world.seller, { amount: 1, price: 1_000_000_000_000_000n }),
    whole: await world.list(),
    other: await world.list(world.rival),
    own: await world.list(world.buyer),
    held: await world.list(),
    removed: await world.list(),
  }
  await world.hold(world.rival, known.held)
  await world.remove(known.removed)
})

/** Whatever was refused, nothing of it is held. */
afterEach(async () => {
  const { rows } = await world.connection.pool.query('select id from purchases where buyer = $1', [world.buyer.address])
  expect(rows).toEqual([])
  const { rows: parts } = await world.connection.pool.query('select id from listings where part_of is not null')
  expect(parts).toEqual([])
})

afterAll(() => server.stop())

async function call(path: string, body: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${server.origin}${path}`, { method: 'POST', headers, body })
  const text = await reply.text()
  expect(problemsOf('POST', path, { status: reply.status, headers: reply.headers, text })).toEqual([])
  return { status: reply.status, body: JSON.parse(text) }
}

async function signIn({ address: walletAddress, signer }: Wallet): Promise<string> {
  const post = async (path: string, payload: object): Promise<ReturnType<typeof JSON.parse>> =>
    (
      await fetch(`${server.origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      })
    ).json()
  const { message } = await post('/api/auth/nonce', { walletAddress })
  const signature = base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message)))
  return (await post('/api/auth/verify', { walletAddress, signature })).token
}

const strangerId = randomUUID()
const order = (...items: unknown[]) => ({ items, transfers: true })
/** Of what could be bought, and of another listing, or with another field. */
const besides = (listing: (listings: Listings) => string) => (all: Listings) => order({ listingId: all.whole }, { listingId: listing(all) })
const having = (fields: object) => (all: Listings) => ({ ...order({ listingId: all.whole }), ...fields })
const part = (amount: unknown) => (all: Listings) => order({ listingId: all.divisible, amount })
const inCapitals = (all: Listings) => all.whole.toUpperCase()
const ofDivisible = (all: Listings) => all.divisible

type Refusal = [order: string, status: number, code: string, body: (all: Listings) => unknown, about?: (all: Listings) => string]

it.each<Refusal>([
  ['twenty-one items', 400, 'TOO_MANY_ITEMS', () => order(...Array.from({ length: 21 }, () => ({ listingId: randomUUID() })))],
  ['no items', 400, 'BAD_REQUEST', () => order()],
  ['no list of items', 400, 'FIELDS_MISSING', () => ({})],
  ['items that are no list', 400, 'BAD_REQUEST', ({ whole }) => ({ items: whole })],
  ['an item that is no object', 400, 'BAD_REQUEST', ({ whole }) => order(whole)],
  ['an item without a listing', 400, 'BAD_REQUEST', () => order({ amount: 1 })],
  ['the same listing twice', 400, 'SAME_LISTING_TWICE', besides(({ whole }) => whole), ({ whole }) => whole],
  ['the same listing in capitals', 400, 'SAME_LISTING_TWICE', besides(inCapitals), inCapitals],
  ['one of the buyer’s own', 409, 'OWN_LISTING', besides(({ own }) => own), ({ own }) => own],
  ['one that somebody holds', 409, 'LISTING_HELD', besides(({ held }) => held), ({ held }) => held],
  ['one that was removed', 409, 'LISTING_NOT_ACTIVE', besides(({ removed }) => removed), ({ removed }) => removed],
  ['an unknown one', 404, 'LISTING_NOT_FOUND', besides(() => strangerId), () => strangerId],
  ['a malformed one', 404, 'LISTING_NOT_FOUND', besides(() => 'x'), () => 'x'],
  ['one with a NUL character', 404, 'LISTING_NOT_FOUND', () => order({ listingId: 'x\0' }), () => 'x\0'],
  ['one that is a number', 400, 'BAD_REQUEST', () => order({ listingId: 7 })],
  ['a part of 0', 400, 'AMOUNT_INVALID', part(0), ofDivisible],
  ['a part of -1', 400, 'AMOUNT_INVALID', part(-1), ofDivisible],
  ['a part of 1.5', 400, 'AMOUNT_INVALID', part(1.5), ofDivisible],
  ['a part of 1e308', 400, 'AMOUNT_INVALID', part(1e308), ofDivisible],
  ['a part that is a text', 400, 'AMOUNT_INVALID', part('1'), ofDivisible],
  ['a part that is nothing', 400, 'AMOUNT_INVALID', part(null), ofDivisible],
  ['more than is left', 409, 'AMOUNT_NOT_LEFT', part(101), ofDivisible],
  ['the most that an amount may be', 409, 'AMOUNT_NOT_LEFT', part(1_000_000_000), ofDivisible],
  ['a part of what is sold whole', 409, 'NOT_DIVISIBLE', ({ whole }) => order({ listingId: whole, amount: 9 }), ({ whole }) => whole],
  ['more SOL than the buyer has', 409, 'INSUFFICIENT_SOL', ({ dear }) => order({ listingId: dear })],
  ['a price above the most that the buyer pays', 409, 'PRICE_MOVED', having({ maxLamports: '1' })],
  ['a most of nothing', 409, 'PRICE_MOVED', having({ maxLamports: '0' })],
  [
    'a most beyond all numbers, of too dear an item',
    409,
    'INSUFFICIENT_SOL',
    ({ dear }) => ({ ...order({ listingId: dear }), maxLamports: '9'.repeat(20) }),
  ],
  ['a most that is a number', 400, 'BAD_REQUEST', having({ maxLamports: 1 })],
  ['a negative most', 400, 'BAD_REQUEST', having({ maxLamports: '-1' })],
  ['a most with a fraction', 400, 'BAD_REQUEST', having({ maxLamports: '1.5' })],
  ['a most of too many digits', 400, 'BAD_REQUEST', having({ maxLamports: '9'.repeat(21) })],
  [
    'two sellers, of a client that pays one',
    409,
    'TRANSFERS_NEEDED',
    (all) => ({ items: [{ listingId: all.whole }, { listingId: all.other }] }),
  ],
  ['a field that is none', 400, 'BAD_REQUEST', having({ price: 1 })],
  ['an item’s field that is none', 400, 'BAD_REQUEST', ({ whole }) => order({ listingId: whole, price: 1 })],
  ['a wallet and a server that send', 400, 'BAD_REQUEST', having({ sendsThrough: 'both' })],
])('an order of %s is refused with %i %s, and nothing is held', async (_, status, code, body, about) => {
  const reply = await call(PURCHASES, JSON.stringify(body(known)))
  expect(reply).toMatchObject({ status, body: { code } })
  expect(reply.body['listingId']).toBe(about?.(known))
  // In words about the field itself.
  if (code === 'BAD_REQUEST')
    expect(reply.body['error']).toMatch(/^items must be a list of listings|^maxLamports must|^There is no field|^sendsThrough must/)
})

it.each(['', 'null', '[]', '7', '{"items":[{"listingId":"x","listingId":', '{"items":{"length":1}}'])(
  'a body of %j is refused',
  async (body) => {
    expect((await call(PURCHASES, body)).status).toBe(400)
  },
)
