// The server of a game whose players trade drinks on Juicebar, and buy in the game's own shop. README.md says how to start it, and what to try.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createMarket, verifyWebhook } from '@juicebar/client'

const { MARKET_URL = 'http://localhost:3000', STUDIO_API_KEY, PORT = '4000', GAME_URL = `http://localhost:${PORT}` } = process.env
const market = createMarket({ url: MARKET_URL, key: STUDIO_API_KEY })

// A real game keeps this in its database. A file that is replaced as a whole survives a crash just as well.
const state = existsSync('game.json') ? JSON.parse(readFileSync('game.json', 'utf8')) : { sales: {} }
function save() {
  writeFileSync('game.json.new', JSON.stringify(state))
  renameSync('game.json.new', 'game.json')
}

// Reads every sale since the last time. Sales are saved together with the place to go on from: none is missed, and none counts twice.
async function readSales() {
  for await (const { sales, next } of market.sales({ after: state.next, everySeconds: 0 })) {
    for (const sale of sales) state.sales[sale.saleId] = sale
    state.next = next
    save()
  }
}

// Has the market call this game whenever something is sold, and reads what was sold while the game was down.
let switchedOn
async function keepUp() {
  try {
    const wish = { url: `${GAME_URL}/market`, events: ['sale.settled', 'sale.reversed'] }
    state.webhook ??= (await market.createWebhook({ body: wish })).webhook
    switchedOn ??= await market.changeWebhook({ params: { id: state.webhook.id }, body: { enabled: true } }) // it may have given up on us
    save()
    await readSales()
  } catch (error) {
    console.error(error.message)
    // A market that was restored from a backup may not know these any more.
    if (error.code === 'CURSOR_EPOCH') delete state.next
    if (error.code === 'WEBHOOK_NOT_FOUND') delete state.webhook
  }
}

const calls = {
  // With this idempotency key, a player gets the reward of a quest once, however often this is called.
  'POST /quests': ({ quest, player }) =>
    market.studioCredit({ body: { walletAddress: player, tokenType: 'APPLE_JUICE', amount: 3, idempotencyKey: `${quest}-${player}` } }),
  'POST /drinks': ({ id, drink, player }) =>
    market.studioDebit({ body: { walletAddress: player, tokenType: drink, amount: 1, idempotencyKey: `drink-${id}` } }),
  'GET /players': ({ player: walletAddress }) => market.studioPlayer({ params: { walletAddress } }),
  'GET /sales': () => Object.values(state.sales),
  // The player pays in the market. The order is paid once its sale is here, whatever the player's page says.
  'POST /orders': ({ id, drink, amount }) =>
    market.createCheckout({ body: { tokenType: drink, amount: +amount, clientReference: id, idempotencyKey: id, returnUrl: GAME_URL } }),
  'GET /orders': ({ id }) => ({ paid: Object.values(state.sales).some(({ checkout }) => checkout?.clientReference === id) }),
  'POST /market': async (_, request) => {
    verifyWebhook(state.webhook.secret, await text(request), request.headers)
    await readSales()
  },
  'GET /': () => readFileSync(new URL('../checkout/index.html', import.meta.url)),
  'GET /juicebar.js': () => readFileSync(new URL(import.meta.resolve('@juicebar/client/browser'))),
}

createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, GAME_URL)
    const answer = await calls[`${request.method} ${pathname}`](Object.fromEntries(searchParams), request)
    if (answer instanceof Buffer) response.setHeader('content-type', pathname === '/' ? 'text/html' : 'text/javascript')
    response.end(answer instanceof Buffer ? answer : JSON.stringify(answer ?? {}))
  } catch (error) {
    response.writeHead(error.name === 'WebhookVerificationError' ? 401 : (error.status ?? 500)).end(error.message)
  }
}).listen(PORT, 'localhost', keepUp)
setInterval(keepUp, 10_000)
