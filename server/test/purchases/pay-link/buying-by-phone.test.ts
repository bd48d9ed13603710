import { expect, it, vi } from 'vitest'

import { waiting, type Wallet } from '../trading-world.ts'
import {
  type MadeLink,
  makeLink,
  PUBLIC_ORIGIN,
  SolanaPayWallet,
  startServer,
  stateOf,
  usePhoneMarket,
  type WalletReply,
} from './pay-link-world.ts'

const market = usePhoneMarket()
const { world } = market

it('a wallet that replaces fee payer and blockhash and sends by itself is delivered', async () => {
  const link = await makeLink(market.server, await world.list(world.seller, { amount: 10, price: 420_000_000n }))
  expect(await stateOf(market.server, link)).toBe('open')

  const described = await market.phone.get(link.url)
  expect(described).toMatchObject({ status: 200, body: { label: 'Juicebar Marketplace', icon: `${PUBLIC_ORIGIN}/favicon.svg` } })
  expect(described.headers.get('cache-control')).toBe('no-store')

  const asked = await scan(market.phone, link, { more: 'fields are allowed' })
  expect(asked).toMatchObject({ status: 200, body: { message: '10 Apple Juice for 0.42 SOL' } })
  expect(await stateOf(market.server, link)).toBe('held')

  await pay(asked)
  await untilState(link, 'delivered')
  expect(await world.appleJuice(world.buyer)).toBe(1_010)
  expect((await market.phone.get(link.url)).body).toEqual({ message: 'This payment link has been paid already.' })
  expect(await market.phone.post(link.url)).toMatchObject({ status: 409, body: { message: 'This payment link has been paid already.' } })
})

it('delivers to a wallet that never signed in', async () => {
  await world.database.deleteFrom('players').where('walletAddress', '=', world.buyer.address).execute()
  const link = await newLink()
  const asked = await scan(market.phone, link)
  await pay(asked)
  await untilState(link, 'delivered')
  expect(await world.appleJuice(world.buyer)).toBe(1_010)
})

it('a second scan by the same wallet is the same purchase, and its first payment is delivered once', async () => {
  const link = await newLink()
  const [first, second] = [await scan(market.phone, link), await scan(market.phone, link)]
  expect(second).toMatchObject({ status: 200, body: { message: first.body['message'] } })
  expect(await openPurchases(world.buyer)).toBe(1)
  await pay(first)
  await untilState(link, 'delivered')
  expect(await world.appleJuice(world.buyer)).toBe(1_010)
})

it('another wallet hears that somebody is paying, whichever of two comes first', async () => {
  const link = await newLink()
  const replies = await Promise.all([scan(market.phone, link), scan(new SolanaPayWallet(world.rival, market.server.origin), link)])
  // Whoever is a moment later hears it of the link, and who asks at the same moment of the listing.
  const refused = { status: 409, body: { message: expect.stringMatching(/^Another (?:wallet|buyer) is paying/) } }
  expect(replies.toSorted((a, b) => a.status - b.status)).toMatchObject([{ status: 200 }, refused])
  expect((await openPurchases(world.buyer)) + (await openPurchases(world.rival))).toBe(1)
})

it('a payment that never lands frees the link for the next wallet', async () => {
  const link = await newLink()
  const unsent = await scan(market.phone, link)
  await market.phone.sign(world.chain, unsent.body['transaction']!)
  await closeWindow(world.buyer)
  await untilState(link, 'open')

  const next = new SolanaPayWallet(world.rival, market.server.origin)
  const asked = await scan(next, link)
  expect(asked.status).toBe(200)
  await pay(asked, next)
  await untilState(link, 'delivered')
})

it('a payment that was sent after the time to pay is delivered if the listing is still free', async () => {
  const link = await newLink()
  const asked = await scan(market.phone, link)
  await closeWindow(world.buyer)
  await soon(async () => expect(await openPurchases(world.buyer)).toBe(0))
  await pay(asked)
  await untilState(link, 'delivered')
  expect(await world.appleJuice(world.buyer)).toBe(1_010)
})

it('whoever scans again after such a payment gets no second one to sign, and is delivered at once', async () => {
  const link = await newLink()
  const asked = await scan(market.phone, link)
  await closeWindow(world.buyer)
  await soon(async () => expect(await openPurchases(world.buyer)).toBe(0))
  // No search finds the payment before the second scan does.
  const later = `update purchases set reconcile_at = now() + interval '1 hour' where buyer = $1 and status = 'ended'`
  await world.connection.pool.query(later, [world.buyer.address])
  await pay(asked)
  const again = await scan(market.phone, link)
  expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining('is under way') } })
  expect(await openPurchases(world.buyer)).toBe(0)
  await untilState(link, 'delivered')
})

it('a payment is delivered although the server that has held for it is gone', async () => {
  const restarted = await startServer(world)
  const link = await makeLink(restarted, await world.list())
  const asked = await scan(new SolanaPayWallet(world.buyer, restarted.origin), link)
  await restarted.stop()
  await pay(asked)
  await untilState(link, 'delivered')
})

it('a link that has expired, and one that nobody made, hold nothing', async () => {
  const link = await newLink()
  await world.database
    .updateTable('payLinks')
    .set({ expiresAt: new Date(0) })
    .execute()
  expect(await market.phone.post(link.url)).toMatchObject({ status: 410, body: { message: expect.stringContaining('has expired') } })
  expect((await market.phone.get(link.url)).status).toBe(410)
  expect(await stateOf(market.server, link)).toBe('expired')
  for (const token of ['x', 'A'.repeat(24), '%20']) {
    const unknown = `solana:${encodeURIComponent(`${PUBLIC_ORIGIN}/p/${token}`)}`
    expect(await market.phone.post(unknown)).toMatchObject({ status: 404, body: { message: 'This payment link does not exist.' } })
    expect((await market.phone.get(unknown)).status).toBe(404)
  }
  expect(await openPurchases(world.buyer)).toBe(0)
})

it('a listing that is held, sold or removed meanwhile is refused in words', async () => {
  const [listing, removed] = [await world.list(), await world.list()]
  const [ofListing, ofRemoved] = [await makeLink(market.server, listing), await makeLink(market.server, removed)]
  const held = await world.hold(world.rival, listing)
  expect((await market.phone.post(ofListing.url)).body).toEqual({ message: 'Another buyer is paying for this listing right now.' })
  await world.payByWallet(world.rival, held)
  await world.untilStatus(held, 'settled')
  await world.remove(removed)
  for (const { url } of [ofListing, ofRemoved]) {
    expect(await market.phone.post(url)).toMatchObject({ status: 409, body: { message: 'This listing is no longer for sale.' } })
  }
})

it('an account that is none, or that nobody can sign with, is refused', async () => {
  const link = await newLink()
  for (const account of ['', 'not an address', 7, null, {}, '1'.repeat(32)]) {
    const reply = await market.phone.post(link.url, { account })
    expect(reply).toMatchObject({ status: 400, body: { message: expect.any(String) } })
    expect(Object.keys(reply.body)).toEqual(['message'])
  }
  expect((await new SolanaPayWallet(world.seller, market.server.origin).post(link.url)).body).toEqual({
    message: 'You cannot buy your own listing!',
  })
})

it('web pages of any origin may open a link, and nothing else', async () => {
  const link = await newLink()
  const headers = { origin: 'https://wallet.example', 'access-control-request-method': 'POST' }
  const path = SolanaPayWallet.linkOf(link.url).pathname
  const preflight = await fetch(`${market.server.origin}${path}`, { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
  expect((await fetch(`${market.server.origin}${path}`, { headers })).headers.get('access-control-allow-origin')).toBe('*')
  const elsewhere = await fetch(`${market.server.origin}/api/marketplace/listings`, { headers })
  expect(elsewhere.headers.get('access-control-allow-origin')).toBeNull()
})

it('a market without a public https address makes no links, and says why', async () => {
  const local = await startServer(world, { PUBLIC_ORIGIN: 'http://localhost:3000' })
  const listingId = await world.list()
  const reply = await fetch(`${local.origin}/api/marketplace/listings/${listingId}/pay-link`, { method: 'POST' })
  expect([reply.status, await reply.json()]).toMatchObject([409, { code: 'PUBLIC_ORIGIN_NEEDED' }])
  expect(await (await fetch(`${local.origin}/api/config`)).json()).toMatchObject({ publicOrigin: null })
  expect(await (await fetch(`${market.server.origin}/api/config`)).json()).toMatchObject({ publicOrigin: PUBLIC_ORIGIN })
  await local.stop()
})

const newLink = async () => makeLink(market.server, await world.list())
/** Signs and sends what a wallet was answered with. */
const pay = async ({ body }: WalletReply, phone = market.phone) => world.sendByWallet(await phone.sign(world.chain, body['transaction']!))
const untilState = (link: MadeLink, state: string) => soon(async () => expect(await stateOf(market.server, link)).toBe(state))

/** As if time went by fast: more blocks than the server takes to reconcile, and whatever will be due is. */
async function soon(condition: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      await world.mine(32)
      await world.makePurchasesDue()
      await condition()
    },
    { ...waiting, interval: 500 },
  )
}

/** Asks again while the market cannot reach the chain, as on a machine that is too busy: a wallet is told so, and nothing is held. */
async function scan(wallet: SolanaPayWallet, { url }: MadeLink, fields: object = {}): Promise<WalletReply> {
  const ask = async () => {
    const reply = await wallet.post(url, fields)
    expect(reply.status).not.toBe(503)
    return reply
  }
  // Slower than the limit of a link.
  return vi.waitFor(ask, { ...waiting, interval: 2_500 })
}

async function openPurchases({ address }: Wallet): Promise<number> {
  const rows = await world.database.selectFrom('purchases').select('id').where('buyer', '=', address).where('status', '=', 'held').execute()
  return rows.length
}

/** As if the time to pay had run out. */
async function closeWindow({ address }: Wallet): Promise<void> {
  await world.database
    .updateTable('purchases')
    .set({ payBefore: new Date(), reconcileAt: new Date(0) })
    .where('buyer', '=', address)
    .execute()
}
