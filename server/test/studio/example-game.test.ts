import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { readText, root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { newAddress, offer } from '../purchases/baskets/store-market.ts'
import { studioApiKey } from '../support/start-app.ts'
import { followSales, openSaleMarket, settledPurchase } from './sales/sale-market.ts'
import { startStudio, type StudioClient } from './studio-client.ts'

const game = 'examples/game/game.mjs'
/** Of what the game imports. */
const BUILD_MILLIS = 60_000

beforeAll(() => promisify(execFile)(process.execPath, [join(root, 'scripts', 'build.mjs'), 'client']), BUILD_MILLIS)

/** A market, and the example as a process beside its server. Both are stopped when the test is over. */
async function openGame() {
  const market = await openSaleMarket({ tokens: 100_000 })
  onTestFinished(() => market.close())
  const [port, folder] = [await findFreePort(), await tempFolder()]
  const settings = { WEBHOOK_ALLOW_PRIVATE: 'on', CHECKOUT_ORIGINS: `http://localhost:${port}` }
  const studio = await startStudio(market.databaseUrl, { settings })
  const env = { MARKET_URL: studio.origin, STUDIO_API_KEY: studioApiKey, PORT: String(port) }
  const start = () => spawn(process.execPath, [join(root, game)], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  let running = start()
  const kill = async () => {
    running.kill('SIGKILL')
    if (running.exitCode === null && running.signalCode === null) await once(running, 'exit')
  }
  onTestFinished(kill)

  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const reply = await fetch(`http://localhost:${port}${path}`, { method, ...init })
    const text = await reply.text()
    return { status: reply.status, text, body: reply.ok ? JSON.parse(text) : undefined }
  }
  const isUp = async () => (await call('GET', '/sales').catch(() => undefined)) !== undefined
  await expect.poll(isUp).toBe(true)
  return {
    market,
    studio,
    origin: `http://localhost:${port}`,
    call,
    kill,
    trade: () => market.trade({ amount: 3 }),
    /** The identifiers of all sales of the market, in order. */
    sold: async () => (await followSales(market)).sales.map(({ saleId }) => saleId),
    startAgain: async () => {
      running = start()
      await expect.poll(isUp).toBe(true)
    },
    /** The sales that it has on disk, by their identifiers. */
    saved: async (): Promise<string[]> => {
      const { sales } = JSON.parse(await readFile(join(folder, 'game.json'), 'utf8').catch(() => '{"sales":{}}'))
      return Object.keys(sales)
    },
  }
}

/** How many messages its game has taken. */
async function delivered({ get }: StudioClient): Promise<number> {
  const [webhook] = (await get('/webhooks')).body.webhooks
  if (webhook === undefined) return 0
  const { deliveries } = (await get(`/webhooks/${webhook.id}/deliveries?limit=200`)).body
  return deliveries.filter((one: { delivered: boolean }) => one.delivered).length
}

describe('the example game', () => {
  it('has 60 lines at most, comments aside, and is started by npm start', async () => {
    const lines = (await readText(game)).split('\n').filter((line) => !/^\s*(?:\/\/.*)?$/.test(line))
    expect(lines.length).toBeLessThanOrEqual(60)
    expect(JSON.parse(await readText('examples/game/package.json')).scripts).toEqual({ start: 'node game.mjs' })
  })

  it('gives the reward of a quest once, takes what is drunk once, and shows what a player has', async () => {
    const { call } = await openGame()
    const player = await newAddress()
    const quest = `/quests?quest=17&player=${player}`
    const first = await call('POST', quest)
    expect(first).toMatchObject({ status: 200, body: { credit: { amount: 3 }, balance: 3 } })
    expect(await call('POST', quest)).toEqual(first)
    const drink = `/drinks?id=${player}&drink=APPLE_JUICE&player=${player}`
    expect(await call('POST', drink)).toMatchObject({ status: 200, body: { debit: { amount: 1 }, balance: 2 } })
    expect(await call('POST', drink)).toMatchObject({ status: 200, body: { balance: 2 } })
    const shown = await call('GET', `/players?player=${player}`)
    expect(shown.body.player).toMatchObject({ walletAddress: player, balances: { appleJuice: 2, grapeSoda: 0 } })
    const soda = await call('POST', `/drinks?id=${player}-2&drink=GRAPE_SODA&player=${player}`)
    expect(soda).toMatchObject({ status: 409, text: 'You do not have that many tokens.' })
    expect((await call('GET', '/players?player=..%2Fkeys')).status).toBe(400)
  })

  it('hears of a sale and of its reversal from the market, and believes nobody else', async () => {
    const { market, trade, studio, call } = await openGame()
    const { seller, buyer } = market
    await expect.poll(async () => (await studio.get('/webhooks')).body.webhooks.length).toBe(1)
    const purchaseId = await trade()
    await expect.poll(() => delivered(studio)).toBe(1)
    expect((await call('GET', '/sales')).body.at(-1)).toMatchObject({ saleId: `${purchaseId}.1`, buyer, seller, amount: 3 })
    await market.query(
      `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable)
       select id, 'vanished', signature, $2, 1, false from purchases where id = $1`,
      [purchaseId, seller],
    )
    await expect.poll(() => delivered(studio)).toBe(2)
    expect((await call('GET', '/sales')).body.at(-1)).toMatchObject({ reverses: `${purchaseId}.1` })

    const headers = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,c2lnbmVk' }
    const body = JSON.stringify({ type: 'sale.settled', data: { saleId: 'mine' } })
    expect((await call('POST', '/market', { headers, body })).status).toBe(401)
    expect((await call('POST', '/market', { body })).status).toBe(401)
  })

  it('sells in its shop: an order is paid once its sale is there, although the game was down when it was bought', async () => {
    const { market, call, kill, startAgain } = await openGame()
    const asked = '/orders?id=order-7&drink=APPLE_JUICE&amount=3'
    const ordered = await call('POST', asked)
    expect(ordered).toMatchObject({ status: 200, body: { checkout: { status: 'open', amount: 3, clientReference: 'order-7' } } })
    expect(await call('POST', asked)).toEqual(ordered)
    expect((await call('GET', '/orders?id=order-7')).body).toEqual({ paid: false })
    await kill()
    const checkout = new URL(ordered.body.checkout.url).pathname.split('/').at(-1)!
    await settledPurchase(market, market.buyer, [{ listingId: await offer(market, market.seller, { amount: 3 }) }], { checkout })
    await startAgain()
    await expect.poll(async () => (await call('GET', '/orders?id=order-7')).body).toEqual({ paid: true })
    expect((await call('GET', '/orders?id=order-8')).body).toEqual({ paid: false })
  })

  it('serves its shop, a page in one file, and what opens the pop-up', async () => {
    const { origin } = await openGame()
    const page = await fetch(`${origin}/?checkout=1&status=completed`)
    expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html', await readText('examples/checkout/index.html')])
    const script = await fetch(`${origin}/juicebar.js`)
    expect([script.headers.get('content-type'), await script.text()]).toEqual([
      'text/javascript',
      expect.stringContaining('juicebar.checkout'),
    ])
  })

  it('has exactly the sales of the market, each once, however often it is killed in the middle of them', { timeout: 120_000 }, async () => {
    const { call, kill, startAgain, saved, studio, trade, sold } = await openGame()
    const closing = new AbortController()
    const trading = (async () => {
      while (!closing.signal.aborted) await trade()
    })()
    onTestFinished(async () => {
      closing.abort()
      await trading
    })
    for (let time = 0; time < 4; time++) {
      const known = (await saved()).length
      await expect.poll(async () => (await saved()).length, { interval: 1 }).toBeGreaterThan(known + 3)
      await kill()
      const missed = (await sold()).length
      await expect.poll(async () => (await sold()).length).toBeGreaterThan(missed + 5)
      await startAgain()
    }
    closing.abort()
    await trading
    const ledger = await sold()
    const told = async () => (await call('GET', '/sales')).body.map(({ saleId }: { saleId: string }) => saleId)
    await expect.poll(told).toEqual(ledger)
    expect(await saved()).toEqual(ledger)
    await expect.poll(async () => (await studio.get('/webhooks')).body.webhooks).toMatchObject([{ waitingSince: null }])
  })
})
