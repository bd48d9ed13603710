// The server of a game whose players trade drinks on Juicebar. README.md says how to start it, and what to try.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const { MARKET_URL = 'http://localhost:3000', STUDIO_API_KEY, PORT = '4000', GAME_URL = `http://localhost:${PORT}` } = process.env

// A real game keeps this in its database. A file that is replaced as a whole survives a crash just as well.
const state = existsSync('game.json') ? JSON.parse(readFileSync('game.json', 'utf8')) : { sales: {} }
function save() {
  writeFileSync('game.json.new', JSON.stringify(state))
  renameSync('game.json.new', 'game.json')
}

async function market(method, path, body) {
  const headers = { authorization: `Bearer ${STUDIO_API_KEY}`, 'content-type': 'application/json' }
  const reply = await fetch(`${MARKET_URL}/api/studio${path}`, { method, headers, body: JSON.stringify(body) })
  const answer = await reply.json()
  if (!reply.ok) throw Object.assign(new Error(answer.error), { status: reply.status, code: answer.code })
  return answer
}

// Reads every sale since the last time. Sales are saved together with the place to go on from: none is missed, and none counts twice.
async function readSales() {
  const { sales, next } = await market('GET', `/sales?limit=500${state.next ? `&after=${state.next}` : ''}`)
  for (const sale of sales) state.sales[sale.saleId] = sale
  state.next = next
  save()
  if (sales.length > 0) await readSales()
}

// Has the market call this game whenever something is sold, and reads what was sold while the game was down.
let isSwitchedOn = false
async function keepUp() {
  try {
    state.webhook ??= (await market('POST', '/webhooks', { url: `${GAME_URL}/market`, events: ['sale.settled', 'sale.reversed'] })).webhook
    if (!isSwitchedOn) await market('PUT', `/webhooks/${state.webhook.id}`, { enabled: true }) // it may have given up on us
    isSwitchedOn = true
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
    market('POST', '/credits', { walletAddress: player, tokenType: 'APPLE_JUICE', amount: 3, idempotencyKey: `quest-${quest}-${player}` }),
  'POST /drinks': ({ id, drink, player }) =>
    market('POST', '/debits', { walletAddress: player, tokenType: drink, amount: 1, idempotencyKey: `drink-${id}` }),
  'GET /players': ({ player }) => market('GET', `/players/${encodeURIComponent(player)}`),
  'GET /sales': () => Object.values(state.sales),
  'POST /market': async (_, request) => {
    const { data } = new Webhook(state.webhook.secret).verify(await text(request), request.headers)
    if (!state.sales[data.saleId]) await readSales()
  },
}

createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, GAME_URL)
    const answer = await calls[`${request.method} ${pathname}`](Object.fromEntries(searchParams), request)
    response.end(JSON.stringify(answer ?? {}))
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : (error.status ?? 500)).end(error.message)
  }
}).listen(PORT, 'localhost', keepUp)
setInterval(keepUp, 10_000)
