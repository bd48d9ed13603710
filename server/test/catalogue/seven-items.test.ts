import { randomUUID } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type MarketSettings } from '@juicebar/contract/market-settings'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { expectLedgerAddsUp, newAddress, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { heldPurchase, settledPurchase } from '../studio/sales/sale-market.ts'
import { catalogueNamed } from '../support/catalogue.ts'
import { type DocumentedCall, documentedCalls, openApp, studioApiKey } from '../support/start-app.ts'

const names = {
  GREEN_TEA: 'Green Tea',
  BLACK_TEA: 'Black Tea',
  MOON_CAKE_2: 'Moon Cake II',
  SWORD: 'Sabre',
  MAP: 'Star Chart',
  LAMP: 'Harbour Lantern',
  POT: 'Iron Teapot',
}
const codes = Object.keys(names)
const none = { greenTea: 0, blackTea: 0, moonCake2: 0, sword: 0, map: 0, lamp: 0, pot: 0 }
const AMOUNT = 100

let market: StoreMarket
let app: Awaited<ReturnType<typeof openApp>>
let call: DocumentedCall
let seller: Player
let buyer: Player

interface Player {
  wallet: WalletAddress
  token: string
}

beforeAll(async () => {
  market = await openStoreMarket()
  app = await openApp(market.databaseUrl, { catalogue: catalogueNamed(names) })
  await vi.waitFor(async () => expect(await app.get('/health/ready')).toMatchObject({ status: 200 }), { timeout: 30_000 })
  call = await documentedCalls(app.origin)
  ;[seller, buyer] = [await signIn(), await signIn()]
  for (const tokenType of codes) await credit(tokenType)
})
afterAll(async () => {
  await app.stop()
  await expectLedgerAddsUp(market)
  await market.close()
})

async function signIn(): Promise<Player> {
  const [id, wallet] = [randomUUID(), await newAddress()]
  const tomorrow = new Date(Date.now() + 86_400_000)
  await market.database.insertInto('players').values({ walletAddress: wallet }).execute()
  await market.database.insertInto('sessions').values({ id, walletAddress: wallet, expiresAt: tomorrow }).execute()
  return { wallet, token: createSessionJwts('j'.repeat(32)).sign({ id, player: wallet }, tomorrow) }
}

const get = async (path: string, token?: string) => (await call('GET', path, token)).body
const credit = (tokenType: string) =>
  call('POST', '/studio/credits', studioApiKey, { walletAddress: seller.wallet, tokenType, amount: AMOUNT, idempotencyKey: randomUUID() })
const typesOf = (found: { tokenType: string }[]) => found.map(({ tokenType }) => tokenType)
const list = (fields: object) => call('POST', '/marketplace/listings', seller.token, { price: 0.5, amount: 10, divisible: true, ...fields })

describe('a market of seven items', () => {
  it('tells the page and the API document what is traded', async () => {
    const head = await (await fetch(`${app.origin}/files/head.html`)).text()
    const [, json = ''] = /<script type="application\/json" id="market-settings">(.*)<\/script>/.exec(head) ?? []
    const settings = JSON.parse(json) as MarketSettings
    expect(settings.catalogue.map(({ code, name }) => [code, name])).toEqual(Object.entries(names))
    expect(settings.ownItems).toBe(true)
    const document = await (await fetch(`${app.origin}/api/openapi.json`)).text()
    const { schemas } = JSON.parse(document).components
    expect(schemas.TokenType.enum).toEqual(codes)
    expect(schemas.TokenTypeOrName.enum).toEqual(Object.entries(names).flat())
    expect(schemas.Balances).toMatchObject({ required: Object.keys(none) })
  })

  it('has a balance of each, by its code in camelCase', async () => {
    const { wallet, token } = await signIn()
    expect(await get(`/tokens/balance/${wallet}`, token)).toEqual({ balances: none })
    const balances = await get(`/tokens/balance/${seller.wallet}`, seller.token)
    expect(balances).toEqual({ balances: Object.fromEntries(Object.keys(none).map((key) => [key, AMOUNT])) })
    expect((await get(`/studio/players/${wallet}`, studioApiKey)).player).toMatchObject({ balances: none, listed: none })
  })

  it('knows nothing of the three drinks', async () => {
    const unknown = { status: 400, body: { code: 'TOKEN_TYPE_UNKNOWN' } }
    expect(await list({ tokenType: 'APPLE_JUICE' })).toMatchObject(unknown)
    expect(await credit('Apple Juice')).toMatchObject(unknown)
    for (const path of ['listings?', 'trades?', 'depth?', 'candles?step=1h&', 'quote?amount=1&'])
      expect(await call('GET', `/marketplace/${path}tokenType=APPLE_JUICE`)).toMatchObject(unknown)
    expect(await call('PUT', '/studio/rules', studioApiKey, { rules: [{ tokenType: 'APPLE_JUICE' }] })).toMatchObject(unknown)
    const { items } = await get('/marketplace/summary')
    expect(typesOf(items)).toEqual(codes.toSorted())
    const { tokens } = await get('/studio/audit', studioApiKey)
    expect(typesOf(tokens)).toEqual(codes.toSorted())
  })

  it('lists them by code and by name, and finds them by both and by a part of the name', async () => {
    const cake = await list({ tokenName: 'Moon Cake II' })
    expect(cake).toMatchObject({ status: 201, body: { listing: { tokenType: 'MOON_CAKE_2', tokenName: 'Moon Cake II' } } })
    const listed = [cake]
    for (const tokenType of ['GREEN_TEA', 'Black Tea', 'MAP']) listed.push(await list({ tokenType }))
    const ids = listed.map(({ body }) => body.listing._id as string)
    const found = async (query: string) => {
      const { listings } = await get(`/marketplace/listings?sort=oldest&${query}`)
      return listings.map((listing: { _id: string }) => ids.indexOf(listing._id))
    }
    expect(await found('')).toEqual([0, 1, 2, 3])
    expect(await found('tokenType=MOON_CAKE_2')).toEqual([0])
    expect(await found('tokenType=Star%20Chart')).toEqual([3])
    expect(await found('search=tea')).toEqual([1, 2])
    expect(await found('search=HART')).toEqual([3])
    expect(await found(`seller=${seller.wallet}&tokenType=GREEN_TEA`)).toEqual([1])
    expect(await found(`search=${seller.wallet.slice(3, 9).toLowerCase()}`)).toEqual([0, 1, 2, 3])
    for (const id of ids) await call('DELETE', `/marketplace/listings/${id}`, seller.token)
  })

  it('quotes, sells and reports an item by its code and its name', async () => {
    const { body } = await list({ tokenType: 'SWORD' })
    const listingId = body.listing._id as string
    expect(await get('/marketplace/quote?tokenType=Sabre&amount=4')).toMatchObject({
      items: [{ listingId, tokenType: 'SWORD', amount: 4 }],
      complete: true,
    })
    expect((await get('/marketplace/depth?tokenType=SWORD')).amount).toBe(10)
    await settledPurchase(market, buyer.wallet, [{ listingId, amount: 4 }])
    await heldPurchase(market, buyer.wallet, [{ listingId, amount: 1 }])

    const { purchases } = await get('/marketplace/my-purchases', buyer.token)
    expect(purchases).toMatchObject([
      { status: 'held', tokenType: 'SWORD', tokenName: 'Sabre', items: [{ tokenType: 'SWORD', tokenName: 'Sabre', amount: 1 }] },
      { status: 'settled', tokenType: 'SWORD', tokenName: 'Sabre', items: [{ tokenType: 'SWORD', tokenName: 'Sabre', amount: 4 }] },
    ])
    expect(await get(`/tokens/balance/${buyer.wallet}`, buyer.token)).toEqual({ balances: { ...none, sword: 4 } })
    const { player } = await get(`/studio/players/${seller.wallet}`, studioApiKey)
    expect([player.balances.sword, player.listed]).toEqual([AMOUNT - 10, { ...none, sword: 6 }])
    expect((await get('/marketplace/trades?tokenType=Sabre')).trades).toMatchObject([{ tokenType: 'SWORD', amount: 4, price: 0.2 }])
    expect((await get('/marketplace/candles?tokenType=SWORD&step=1h')).candles).toMatchObject([{ amount: 4, sol: 0.2 }])
    const { stats } = await get('/studio/stats?group=tokenType', studioApiKey)
    expect(stats.find(({ tokenType }: { tokenType: string }) => tokenType === 'SWORD')).toMatchObject({ sales: 1, credited: AMOUNT })
  })

  it('names an item whose rule would be broken, and the rule in the log', async () => {
    const rules = [{ tokenType: 'Iron Teapot', minUnitPrice: 1, maxListingsPerWallet: 1 }]
    expect((await call('PUT', '/studio/rules', studioApiKey, { rules })).body.rules).toMatchObject([{ tokenType: 'POT' }])
    expect((await list({ tokenType: 'POT', price: 5 })).body.error).toContain('Iron Teapot must cost at least 1 SOL')
    expect((await list({ tokenType: 'POT', price: 20 })).status).toBe(201)
    expect((await list({ tokenType: 'POT', price: 20 })).body.error).toContain('of Iron Teapot on the market')
    const { log } = await get('/studio/log', studioApiKey)
    expect(log[0]).toMatchObject({ call: 'setRules', reason: expect.stringMatching(/^Iron Teapot: at least 1 SOL/) })
    await call('PUT', '/studio/rules', studioApiKey, { rules: [] })
  })
})
