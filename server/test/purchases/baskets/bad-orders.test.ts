import { randomUUID } from 'node:crypto'

import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import { defaultCatalogue } from '../../support/catalogue.ts'
import { createApp } from '../../../src/app.ts'
import { createRelay } from '../../../src/chain/relay/relay.ts'
import { createListing } from '../../../src/listings/create-listing.ts'
import { removeListing } from '../../../src/listings/remove-listing.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { lamports } from '@juicebar/contract/money'
import { checkAgainstDocument, type DocumentCheck } from '../../http/documented.ts'
import { expectAllAddsUp, holdItems, list, openTradingWorld, type TradingWorld, type Wallet } from '../trading-world.ts'

const PURCHASES = '/api/marketplace/purchases'
const migrationsFolder = new URL('../../../migrations', import.meta.url).pathname

let world: TradingWorld
let origin: string
let stop: () => Promise<void>
let problemsOf: DocumentCheck
let [seller, buyer, rival]: Wallet[] = []
let token: string
/** Listings in each state that an order can meet. */
let known: Record<'divisible' | 'whole' | 'other' | 'own' | 'held' | 'removed' | 'dear', string>

beforeAll(async () => {
  world = await openTradingWorld()
  const { connection, chain, deps } = world
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 'studio-key-of-this-test',
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  origin = app.fastify.listeningOrigin
  stop = () => app.stop()
  problemsOf = await checkAgainstDocument(origin)
  ;[seller, buyer, rival] = [await world.createWallet(), await world.createWallet(), await world.createWallet()]
  token = await signIn(buyer)
  const draft = { tokenType: 'APPLE_JUICE', amount: 100, priceLamports: lamports(10_000_000n), divisible: true } as const
  const dear = { ...draft, amount: 1, priceLamports: lamports(1_000_000_000_000_000n) }
  known = {
    divisible: (await createListing(world.database, seller.address, draft))._id,
    dear: (await createListing(world.database, seller.address, { ...dear, divisible: false }))._id,
    whole: await list(world, seller),
    other: await list(world, rival),
    own: await list(world, buyer),
    held: await list(world, seller),
    removed: await list(world, seller),
  }
  await holdItems(world, rival, [{ listingId: known.held }])
  await removeListing(world.database, seller.address, known.removed)
})

beforeEach(() => void (world.deps.settings.fee = { basisPoints: 0, wallet: undefined }))

/** Whatever was refused, nothing of it is held. */
afterEach(async () => {
  const { rows } = await world.connection.pool.query('select id from purchases where buyer = $1', [buyer?.address])
  expect(rows).toEqual([])
  const { rows: parts } = await world.connection.pool.query('select id from listings where part_of is not null')
  expect(parts).toEqual([])
})

afterAll(async () => {
  await stop()
  await expectAllAddsUp(world)
  await world.close()
})

async function call(path: string, body: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
  const text = await reply.text()
  expect(problemsOf('POST', path, { status: reply.status, headers: reply.headers, text })).toEqual([])
  return { status: reply.status, body: JSON.parse(text) }
}

async function signIn({ address: walletAddress, signer }: Wallet): Promise<string> {
  const post = async (path: string, payload: object): Promise<ReturnType<typeof JSON.parse>> =>
    (
      await fetch(`${origin}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(payload) })
    ).json()
  const { message } = await post('/api/auth/nonce', { walletAddress })
  const signature = base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message)))
  return (await post('/api/auth/verify', { walletAddress, signature })).token
}

const strangerId = randomUUID()
const order = (...items: unknown[]) => ({ items, transfers: true })
const part = (amount: unknown) => () => order({ listingId: known.divisible, amount })

it.each<[string, number, string, () => unknown, (() => string)?]>([
  ['twenty-one items', 400, 'TOO_MANY_ITEMS', () => order(...Array.from({ length: 21 }, () => ({ listingId: randomUUID() })))],
  ['no items', 400, 'BAD_REQUEST', () => order()],
  ['no list of items', 400, 'FIELDS_MISSING', () => ({})],
  ['items that are no list', 400, 'BAD_REQUEST', () => ({ items: known.whole })],
  ['an item that is no object', 400, 'BAD_REQUEST', () => order(known.whole)],
  ['an item without a listing', 400, 'BAD_REQUEST', () => order({ amount: 1 })],
  [
    'the same listing twice',
    400,
    'SAME_LISTING_TWICE',
    () => order({ listingId: known.whole }, { listingId: known.whole }),
    () => known.whole,
  ],
  [
    'the same listing in capitals',
    400,
    'SAME_LISTING_TWICE',
    () => order({ listingId: known.whole }, { listingId: known.whole.toUpperCase() }),
    () => known.whole.toUpperCase(),
  ],
  ['one of the buyer’s own', 409, 'OWN_LISTING', () => order({ listingId: known.whole }, { listingId: known.own }), () => known.own],
  ['one that somebody holds', 409, 'LISTING_HELD', () => order({ listingId: known.whole }, { listingId: known.held }), () => known.held],
  [
    'one that was removed',
    409,
    'LISTING_NOT_ACTIVE',
    () => order({ listingId: known.whole }, { listingId: known.removed }),
    () => known.removed,
  ],
  ['an unknown one', 404, 'LISTING_NOT_FOUND', () => order({ listingId: known.whole }, { listingId: strangerId }), () => strangerId],
  ['a malformed one', 404, 'LISTING_NOT_FOUND', () => order({ listingId: known.whole }, { listingId: 'x' }), () => 'x'],
  ['one with a NUL character', 404, 'LISTING_NOT_FOUND', () => order({ listingId: 'x\0' }), () => 'x\0'],
  ['one that is a number', 400, 'BAD_REQUEST', () => order({ listingId: 7 })],
  ['a part of 0', 400, 'AMOUNT_INVALID', part(0), () => known.divisible],
  ['a part of -1', 400, 'AMOUNT_INVALID', part(-1), () => known.divisible],
  ['a part of 1.5', 400, 'AMOUNT_INVALID', part(1.5), () => known.divisible],
  ['a part of 1e308', 400, 'AMOUNT_INVALID', part(1e308), () => known.divisible],
  ['a part that is a text', 400, 'AMOUNT_INVALID', part('1'), () => known.divisible],
  ['a part that is nothing', 400, 'AMOUNT_INVALID', part(null), () => known.divisible],
  ['more than is left', 409, 'AMOUNT_NOT_LEFT', part(101), () => known.divisible],
  ['the most that an amount may be', 409, 'AMOUNT_NOT_LEFT', part(1_000_000_000), () => known.divisible],
  ['a part of what is sold whole', 409, 'NOT_DIVISIBLE', () => order({ listingId: known.whole, amount: 9 }), () => known.whole],
  ['more SOL than the buyer has', 409, 'INSUFFICIENT_SOL', () => order({ listingId: known.dear })],
  ['a price above the most that the buyer pays', 409, 'PRICE_MOVED', () => ({ ...order({ listingId: known.whole }), maxLamports: '1' })],
  ['a most of nothing', 409, 'PRICE_MOVED', () => ({ ...order({ listingId: known.whole }), maxLamports: '0' })],
  [
    'a most beyond all numbers, of too dear an item',
    409,
    'INSUFFICIENT_SOL',
    () => ({ ...order({ listingId: known.dear }), maxLamports: '9'.repeat(20) }),
  ],
  ['a most that is a number', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), maxLamports: 1 })],
  ['a negative most', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), maxLamports: '-1' })],
  ['a most with a fraction', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), maxLamports: '1.5' })],
  ['a most of too many digits', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), maxLamports: '9'.repeat(21) })],
  [
    'two sellers, of a client that pays one',
    409,
    'TRANSFERS_NEEDED',
    () => ({ items: [{ listingId: known.whole }, { listingId: known.other }] }),
  ],
  ['a field that is none', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), price: 1 })],
  ['an item’s field that is none', 400, 'BAD_REQUEST', () => order({ listingId: known.whole, price: 1 })],
  ['a wallet and a server that send', 400, 'BAD_REQUEST', () => ({ ...order({ listingId: known.whole }), sendsThrough: 'both' })],
])('an order of %s is refused with %i %s, and nothing is held', async (_, status, code, body, about) => {
  const reply = await call(PURCHASES, JSON.stringify(body()))
  expect(reply).toMatchObject({ status, body: { code } })
  expect(reply.body['listingId']).toBe(about?.())
  // In words about the field itself.
  if (code === 'BAD_REQUEST')
    expect(reply.body['error']).toMatch(/^items must be a list of lots|^maxLamports must|^There is no field|^sendsThrough must/)
})

it.each(['', 'null', '[]', '7', '{"items":[{"listingId":"x","listingId":', '{"items":{"length":1}}'])(
  'a body of %j is refused',
  async (body) => {
    expect((await call(PURCHASES, body)).status).toBe(400)
  },
)
