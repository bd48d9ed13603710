import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import { lamports as toLamports, lamportsToSol } from '@juicebar/contract/money'
import { expect } from 'vitest'

import { tokens } from '../../chaos/catalogue.ts'
import { readLanded } from '../../chaos/checks/chain-record.ts'
import { readProduct } from '../../chaos/checks/product-record.ts'
import { type Answer, type ApiClient, type Call, createApiClient } from '../../chaos/players/api-client.ts'
import { type ChainClient } from '../../chaos/players/chain-client.ts'
import { loopbackAddress } from '../../chaos/players/loopback-address.ts'
import { createPlayer, type Player } from '../../chaos/players/player.ts'
import { type Offer, signOffer } from '../../chaos/players/wallet.ts'
import { happens, type Path, pickOne, pickWeighted, wholeBetween } from '../../chaos/seeded-random.ts'
import { type Asked, type History, type ListingTerms, type RecordedCall } from './history.ts'

/** A market of several servers, and the chain that it is paid on. */
export interface Market {
  urls: readonly string[]
  studioApiKey: string
  chain: ChainClient
}

const SELLERS = 2
const BUYERS = 4
/** What each of them does, one thing after the other. */
const STEPS = 5
const STOCK = 100
const MOST_DRINKS = 4
/** Prices have three decimals. */
const PRICE_STEP_LAMPORTS = 1_000_000
/** What one drink costs, in such steps. */
const STEPS_EACH = { low: 1, high: 60 }
/** A client that is gone before the answer comes. */
const LEAVES = 0.1
const DIVISIBLE = 0.5
/** What a seller does after its first listing; the rest of the time it looks. */
const SELLER_STEPS = { list: 0.4, price: 0.35, remove: 0.15 }
const PAYS = 0.75
/** How long a purchase may take. One that takes longer contradicts what a market promises. */
const PATIENCE_MILLIS = 10_000
const PAUSE_MILLIS = 20
/** A call whose client has left may still be under way, but for no longer than this without a trace. */
const QUIET_MILLIS = 500
/** Each wallet of a history calls from an address of its own: rate limits count by address. */
const PLAYERS = SELLERS + BUYERS

/** Several sellers and buyers at once, who all want the same few listings, on any server. */
export async function recordHistory(market: Market, seed: number): Promise<History> {
  const calls: RecordedCall[] = []
  const credits = new Map<string, number>()
  const listed: string[] = []
  const sessions = await Promise.all(Array.from({ length: PLAYERS }, (_, number) => openSession(market, seed, number, calls)))
  const [sellers, buyers] = [sessions.slice(0, SELLERS), sessions.slice(SELLERS)]
  for (const { player } of sellers) await credit(market, player, credits)
  await Promise.all([...sellers.map((seller) => sell(seller, listed)), ...buyers.map((buyer) => buy(buyer, listed))])
  const players = sessions.map(({ player }) => player)
  const { end, landed } = await readEnd(market, players)
  for (const { apis } of sessions) for (const api of apis) api.stop()
  return { credits, calls: calls.toSorted((a, b) => a.startedAt - b.startedAt), landed, end }
}

/** A signed-in player, whose calls are recorded. */
interface Session {
  player: Player
  /** All of its clients, to be stopped in the end. */
  apis: readonly ApiClient[]
  seed: number
  ask(path: Path, asked: Asked, call: Call, options?: { mayLeave?: boolean }): Promise<Answer | undefined>
}

async function openSession({ urls, chain }: Market, seed: number, number: number, calls: RecordedCall[]): Promise<Session> {
  const name = `${number < SELLERS ? 'seller' : 'buyer'} ${number}`
  const localAddress = loopbackAddress(1 + ((seed * PLAYERS + number) % 50_000))
  const player = await createPlayer({ seed, chain }, name, { urls: () => urls, localAddress })
  const { bearer } = player.api
  const apis = urls.map((url) => createApiClient({ urls: () => [url], localAddress, ...(bearer !== undefined && { bearer }) }))
  const session = player.wallet.address
  return {
    player,
    apis: [player.api, ...apis],
    seed,
    async ask(path, asked, call, { mayLeave = false } = {}) {
      const api = pickOne(seed, [name, ...path, asked.kind, 'server'], apis) ?? player.api
      const startedAt = performance.now()
      const leaves = mayLeave && happens(seed, [name, ...path, asked.kind, 'leaves'], LEAVES)
      // Asked once: whether a call was carried out that is asked again could not be told from its answer.
      const [answer] = leaves ? [await api.sendAndDisconnect(call)] : await api.callEverywhere(call)
      const heard = answer && answer.status < 500 ? answer : undefined
      calls.push({ ...asked, session, startedAt, endedAt: heard ? performance.now() : Infinity, answer: heard })
      return heard
    },
  }
}

async function credit({ urls, studioApiKey }: Market, { wallet }: Player, credits: Map<string, number>): Promise<void> {
  const studio = createApiClient({ urls: () => urls, localAddress: undefined, bearer: studioApiKey })
  for (const tokenType of tokens) {
    const key = `${wallet.address} ${tokenType}`
    // One key, one credit, however often and wherever it is asked for.
    const body = { walletAddress: wallet.address, tokenType, amount: STOCK, idempotencyKey: key }
    const answers = await studio.callEverywhere({ method: 'POST', path: '/api/studio/credits', body })
    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200))
    credits.set(key, STOCK)
  }
  studio.stop()
}

async function sell(seller: Session, listed: string[]): Promise<void> {
  const own: { id: string; terms: ListingTerms }[] = []
  const { seed, player } = seller
  for (let step = 0; step < STEPS; step++) {
    const at = [player.name, step]
    const doing = step === 0 ? 'list' : pickWeighted<keyof typeof SELLER_STEPS>(seed, [...at, 'doing'], SELLER_STEPS)
    // The newest is the one that is most likely to be for sale still.
    const newest = own.at(-1)
    if (doing === 'list' || newest === undefined) {
      const terms = termsAt(seed, at)
      const id = await list(seller, step, terms)
      own.push({ id, terms })
      listed.push(id)
    } else if (doing === 'price' && !newest.terms.divisible) {
      await reprice(seller, step, newest)
      await read(seller, [step], newest.id)
    } else if (doing === 'remove') {
      const call: Call = { method: 'DELETE', path: `/api/marketplace/listings/${newest.id}` }
      await seller.ask([step], { kind: 'remove', listing: newest.id }, call, { mayLeave: true })
    } else {
      await read(seller, [step], newest.id)
    }
  }
}

async function reprice(seller: Session, step: number, { id, terms }: { id: string; terms: ListingTerms }): Promise<void> {
  const at = [seller.player.name, step]
  const lamports = priceAt(seller.seed, at, terms.amount)
  const call: Call = {
    method: 'PATCH',
    path: `/api/marketplace/listings/${id}`,
    body: { price: lamportsToSol(toLamports(lamports)) },
    idempotencyKey: `${seller.seed} ${at.join(' ')}`,
  }
  await seller.ask([step], { kind: 'price', listing: id, lamports }, call, { mayLeave: true })
}

function termsAt(seed: number, at: Path): ListingTerms {
  const amount = wholeBetween(seed, [...at, 'amount'], 1, MOST_DRINKS)
  const tokenType = pickOne(seed, [...at, 'token'], tokens) ?? ''
  return { tokenType, amount, lamports: priceAt(seed, at, amount), divisible: amount > 1 && happens(seed, [...at, 'divisible'], DIVISIBLE) }
}

function priceAt(seed: number, at: Path, amount: number): bigint {
  return BigInt(wholeBetween(seed, [...at, 'price'], STEPS_EACH.low, STEPS_EACH.high) * amount * PRICE_STEP_LAMPORTS)
}

async function list(seller: Session, step: number, terms: ListingTerms): Promise<string> {
  const { tokenType, amount, lamports, divisible } = terms
  const body = { tokenType, amount, divisible, price: lamportsToSol(toLamports(lamports)) }
  const answer = await seller.ask([step], { kind: 'list', listing: terms }, { method: 'POST', path: '/api/marketplace/listings', body })
  // What nobody knows of could not be accounted for.
  if (answer?.status !== 201) throw new Error(`a listing was refused: ${JSON.stringify(answer)}`)
  return (answer.body['listing'] as { _id: string })._id
}

async function read(session: Session, path: Path, listing: string): Promise<Answer | undefined> {
  return session.ask(path, { kind: 'read', listing }, { method: 'GET', path: `/api/marketplace/listings/${listing}` })
}

async function buy(buyer: Session, listed: readonly string[]): Promise<void> {
  const { seed, player } = buyer
  await until(async () => listed.length > 0, PATIENCE_MILLIS)
  for (let step = 0; step < STEPS; step++) {
    const at = [player.name, step]
    const listing = pickOne(seed, [...at, 'listing'], listed) ?? ''
    const seen = await read(buyer, [step, 'first'], listing)
    const shown = seen?.body['listing'] as { status: string; amount: number; divisible: boolean } | undefined
    if (shown?.status !== 'active' || !happens(seed, [...at, 'pays'], PAYS)) continue
    const amount = shown.divisible ? wholeBetween(seed, [...at, 'amount'], 1, shown.amount) : shown.amount
    const purchase = await pay(buyer, [step], listing, amount)
    if (purchase !== undefined) await follow(buyer, [step], purchase)
    await read(buyer, [step, 'last'], listing)
  }
}

/** @returns the purchase that is under way */
async function pay(buyer: Session, path: Path, listing: string, amount: number): Promise<string | undefined> {
  const items = [{ listingId: listing, amount }]
  const offered = await buyer.player.api.callWithRetries({ method: 'POST', path: '/api/marketplace/offers', body: { items } })
  if (offered?.status !== 200) return undefined
  const offer = offered.body['offer'] as Offer
  const { base64: transaction } = await signOffer(buyer.player.wallet, offer)
  const body = { items, reference: offer.reference, transaction }
  const call: Call = { method: 'POST', path: '/api/marketplace/payments', body }
  const answer = await buyer.ask(path, { kind: 'pay', listing, amount }, call, { mayLeave: true })
  return answer?.status === 200 || answer?.status === 201 ? String(answer.body['purchaseId']) : undefined
}

/** Until it is over, and once more. */
async function follow(buyer: Session, path: Path, purchase: string): Promise<void> {
  const call: Call = { method: 'GET', path: `/api/marketplace/purchases/${purchase}` }
  const status = async () => {
    const answer = await buyer.ask(path, { kind: 'follow', purchase }, call)
    return (answer?.body['purchase'] as { status: string } | undefined)?.status
  }
  await until(async () => (await status()) !== 'held', PATIENCE_MILLIS)
  await status()
}

/** When nothing is under way: nothing is held, and nothing changes for a while, on the chain or in the market. */
async function readEnd({ chain }: Market, players: readonly Player[]): Promise<Pick<History, 'end' | 'landed'>> {
  const wallets = players.map(({ wallet }) => wallet.address)
  const read = async () => ({ landed: (await readLanded(chain, wallets)).landed, end: await readProduct(players) })
  let last = await read()
  const isOver = async () => {
    await delay(QUIET_MILLIS)
    const now = await read()
    const isSame = isDeepStrictEqual(now, last)
    last = now
    return isSame && [...now.end.purchases.values()].every(({ status }) => status !== 'held')
  }
  await until(isOver, PATIENCE_MILLIS)
  return last
}

/** Asks until the answer is yes, or patience ends. */
async function until(ask: () => Promise<boolean>, millis: number): Promise<void> {
  const deadline = performance.now() + millis
  while (!(await ask()) && performance.now() < deadline) await delay(PAUSE_MILLIS)
}
