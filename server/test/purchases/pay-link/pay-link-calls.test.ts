import { MAX_PAY_LINKS } from '@juicebar/contract/limits'
import { describe, expect, it, onTestFinished } from 'vitest'
import { draftRules } from '../../../src/restrictions/restriction.ts'
import { phoneOrigin } from '../../../src/config.ts'
import { recordBlock, recordUnblock, recordPause, recordResumption, recordRules } from '../../../src/studio/record-restrictions.ts'
import { limits } from '../../../src/http/rate-limits.ts'
import { createNetworkHash } from '../../../src/purchases/pay-link/pay-link.ts'
import { signInAt } from '../../studio/staff/desk-client.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { type Wallet } from '../trading-world.ts'
import { PUBLIC_ORIGIN, usePhoneMarket, type WalletReply } from './pay-link-world.ts'

const actor = 'test'

const market = usePhoneMarket({ TRUST_PROXY: 'loopback' })
const { world } = market

/** Makes a link as a page does, from a network behind the proxy and perhaps with a session. */
async function make(listingId: string, { network = '192.0.2.1', token }: { network?: string; token?: string } = {}) {
  const headers = { 'x-forwarded-for': network, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const reply = await fetch(`${market.server.origin}/api/marketplace/listings/${listingId}/pay-link`, { method: 'POST', headers })
  return { status: reply.status, body: (await reply.json()) as ReturnType<typeof JSON.parse> }
}

const tooMany = { status: 429, body: { code: 'PAY_LINK_LIMIT' } }

describe('the maker of a link', () => {
  it.each([
    ['an IPv4 address', '198.51.100.1', '198.51.100.1', '198.51.100.2'],
    ['an IPv6 network', '2001:db8:0:1::1', '2001:db8:0:1:ffff::1', '2001:db8:0:2::1'],
  ])('is %s, which has so many at a time', async (_what, first, same, other) => {
    const listingId = await world.list()
    for (let count = 0; count < MAX_PAY_LINKS; count++) expect((await make(listingId, { network: first })).status).toBe(201)
    expect(await make(listingId, { network: same })).toMatchObject(tooMany)
    expect((await make(listingId, { network: other })).status).toBe(201)
  })

  it('is also the wallet that is signed in, from whichever networks', async () => {
    const listingId = await world.list()
    const { token } = await signInAt(market.server.origin)
    for (let count = 0; count < MAX_PAY_LINKS; count++)
      expect((await make(listingId, { network: `198.51.100.${count}`, token })).status).toBe(201)
    expect(await make(listingId, { network: '203.0.113.1', token })).toMatchObject(tooMany)
    expect((await make(listingId, { network: '203.0.113.1' })).status).toBe(201)
  })

  it('is nobody whose session is over', async () => {
    expect((await make(await world.list(), { token: 'x.y.z' })).status).toBe(401)
    expect(await world.database.selectFrom('payLinks').selectAll().execute()).toEqual([])
  })

  it('is kept as a hash that only servers with the same secret can compute', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((secret) => createNetworkHash(secret)('198.51.100.1'))
    expect(one).toEqual(same)
    expect(one).not.toEqual(other)
  })
})

it('a link lives ten minutes', async () => {
  const { body } = await make(await world.list())
  const { rows } = await world.connection.pool.query(
    `select extract(epoch from expires_at - created_at)::integer as seconds, expires_at as "expiresAt" from pay_links where id = $1`,
    [body.id],
  )
  expect(rows).toEqual([{ seconds: 600, expiresAt: new Date(body.expiresAt) }])
})

describe('a link of a market', () => {
  const refused = (status: number, message: unknown) => ({ status, body: { message } })

  async function expectNothingHeld(): Promise<void> {
    const held = await world.database.selectFrom('purchases').select('id').where('buyer', '=', world.buyer.address).execute()
    expect(held).toEqual([])
  }

  it('that is paused holds nothing, and none is made', async () => {
    const listingId = await world.list()
    const { body } = await make(listingId)
    await recordPause(world.database, { message: 'We refill the ice.', actor })
    onTestFinished(async () => void (await recordResumption(world.database, { actor })))
    const message = 'Buying and selling are paused: We refill the ice.'
    expect(await market.phone.post(body.url)).toMatchObject(refused(503, message))
    expect(await make(listingId)).toMatchObject({ status: 503, body: { code: 'PAUSED', error: message } })
    await expectNothingHeld()
    await recordResumption(world.database, { actor })
    expect((await market.phone.post(body.url)).status).toBe(200)
  })

  it('that has blocked a wallet holds nothing for it, and it makes none', async () => {
    const listingId = await world.list()
    const { wallet, token } = await signInAt(market.server.origin)
    const { body } = await make(listingId)
    for (const blocked of [world.buyer.address, wallet.address as Wallet['address']])
      await recordBlock(world.database, {
        wallet: blocked,
        reason: 'Three refunds are missing.',
        until: null,
        removeListings: false,
        actor,
      })
    // Nobody has proved to be this wallet, so the reason is not told.
    expect(await market.phone.post(body.url)).toMatchObject(
      refused(403, 'This wallet is blocked: its owner reads the reason in the market.'),
    )
    await expectNothingHeld()
    // Who is blocked and has nothing to finish has no session either; one that began before the block cannot make links.
    expect(await make(listingId, { token })).toMatchObject({ status: 403, body: { code: 'BLOCKED' } })
    await recordUnblock(world.database, { wallet: world.buyer.address, reason: undefined, actor })
    expect((await market.phone.post(body.url)).status).toBe(200)
  })

  it('that has rules keeps to them', async () => {
    const { body } = await make(await world.list())
    const setRules = (most: number | undefined) =>
      recordRules(world.database, {
        rules: draftRules(most === undefined ? [] : [{ tokenType: 'APPLE_JUICE', maxUnitPrice: most }], defaultCatalogue),
        catalogue: defaultCatalogue,
        reason: undefined,
        actor,
      })
    await setRules(0.000001)
    onTestFinished(async () => void (await setRules(undefined)))
    expect(await market.phone.post(body.url)).toMatchObject(
      refused(409, expect.stringMatching(/^A rule of this market does not allow that: /)),
    )
    await expectNothingHeld()
    await setRules(undefined)
    expect((await market.phone.post(body.url)).status).toBe(200)
  })

  it('whose seller is frozen holds nothing, and none is made', async () => {
    const listingId = await world.list()
    const { body } = await make(listingId)
    const { pool } = world.connection
    await pool.query(
      `insert into cases (kind, signature, lamports, deliverable, seller, buyer, genesis_hash, paid_at_slot)
      values ('lost', 'lost', 1, false, $1, $2, '', 0)`,
      [world.seller.address, world.buyer.address],
    )
    onTestFinished(async () => void (await pool.query(`delete from cases where signature = 'lost'`)))
    expect((await market.phone.post(body.url)).status).toBe(409)
    expect(await make(listingId)).toMatchObject({ body: { code: 'LISTING_FROZEN' } })
    await expectNothingHeld()
  })
})

describe('whoever opens links', () => {
  /** Each request comes from a network of its own unless it names one. */
  let networks = 0
  const open = async (token: string, network = `203.0.${(networks += 1) >> 8}.${networks & 255}`): Promise<Response> =>
    fetch(`${market.server.origin}/p/${token}`, { headers: { 'x-forwarded-for': network } })
  const tokenOf = (index: number) => String(index).padStart(24, 'A')
  const statuses = async (replies: readonly Promise<Response>[]) => (await Promise.all(replies)).map(({ status }) => status)

  it('has so many tries a minute for each, and hears how long to wait', async () => {
    const { perWallet } = limits['pay-link']
    expect(new Set(await statuses(Array.from({ length: perWallet }, () => open(tokenOf(1)))))).toEqual(new Set([404]))
    const refused = await open(tokenOf(1))
    const { message } = (await refused.json()) as WalletReply['body']
    expect([refused.status, message, Number(refused.headers.get('retry-after')) > 0]).toEqual([
      429,
      expect.stringMatching(/^Too many requests\. /),
      true,
    ])
    expect((await open(tokenOf(2))).status).toBe(404)
  })

  it('has so many tries a minute from one address', async () => {
    const { perAddress } = limits['pay-link']
    const network = '198.51.100.9'
    const tries = Array.from({ length: perAddress }, (_, index) => open(tokenOf(100 + index), network))
    expect(new Set(await statuses(tries))).toEqual(new Set([404]))
    expect((await open(tokenOf(99), network)).status).toBe(429)
    expect((await open(tokenOf(99))).status).toBe(404)
  })

  it('keeps no copy of an answer', async () => {
    const { body } = await make(await world.list())
    const replies = [
      await market.phone.get(body.url),
      await market.phone.post(body.url),
      await market.phone.post(body.url, { account: 'x' }),
    ]
    expect(replies.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
      [200, 'no-store'],
      [200, 'no-store'],
      [400, 'no-store'],
    ])
  })
})

it.each([
  [PUBLIC_ORIGIN, PUBLIC_ORIGIN],
  ['https://market.example:8443', 'https://market.example:8443'],
  ['http://market.example', undefined],
  ['https://localhost', undefined],
  ['https://market.localhost:3000', undefined],
  ['https://127.0.0.1', undefined],
  ['https://[::1]:3000', undefined],
])('at %s, phones reach %s', (publicOrigin, reached) => {
  expect(phoneOrigin({ publicOrigin })).toBe(reached)
})
