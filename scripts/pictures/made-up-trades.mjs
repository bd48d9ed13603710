const HOUR = 3_600_000
const steps = new Map([
  ['5m', HOUR / 12],
  ['1h', HOUR],
  ['1d', 24 * HOUR],
])
/** The approximate price of a drink, in SOL. */
const prices = new Map([
  ['APPLE_JUICE', 0.0042],
  ['ORANGE_JUICE', 0.006],
  ['GRAPE_SODA', 0.0095],
])
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/**
 * Shows a page made-up trades of several months, because a new market has no chart worth looking at.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function showTrades(page) {
  const now = Date.now()
  await page.route('**/api/marketplace/candles?*', (route) => {
    const { searchParams } = new URL(route.request().url())
    const step = steps.get(searchParams.get('step') ?? '') ?? HOUR
    const from = Math.max(Date.parse(searchParams.get('from') ?? ''), now - 90 * 24 * HOUR)
    const to = Math.min(Date.parse(searchParams.get('to') ?? '') || now, now)
    const price = priceOf(searchParams.get('tokenType'))
    const candles = []
    for (let start = Math.ceil(from / step) * step; start < to; start += step) candles.push(candle(start, step, price))
    return route.fulfill({ json: { candles } })
  })
  await page.route('**/api/marketplace/trades?*', (route) => {
    const price = priceOf(new URL(route.request().url()).searchParams.get('tokenType'))
    const trades = Array.from({ length: 10 }, (_, index) => trade(index, now - index * 0.4 * HOUR, price))
    return route.fulfill({ json: { trades, nextCursor: null } })
  })
  await page.route('**/api/marketplace/summary', async (route) => {
    const reply = await route.fetch()
    /** @type {{ items: { tokenType: string }[] }} */
    const { items } = await reply.json()
    const known = items.map((item) => {
      const price = priceOf(item.tokenType)
      return { ...item, last: price(now), change24h: price(now) / price(now - 24 * HOUR) - 1, volume24h: 4.187 }
    })
    return route.fulfill({ json: { items: known } })
  })
}

/** How long ago the few trades were, in hours, the newest first. */
const FEW_HOURS = [2, 9, 26, 50, 100]

/**
 * Shows a page the first few trades of a new market.
 *
 * @param {import('@playwright/test').Page} page
 * @param {number} count up to five
 */
export async function showFewTrades(page, count) {
  const now = Date.now()
  const price = priceOf('GRAPE_SODA')
  const trades = FEW_HOURS.slice(0, count).map((hours, index) => trade(index, now - hours * HOUR, price))
  await page.route('**/api/marketplace/candles?*', (route) => {
    const { searchParams } = new URL(route.request().url())
    const step = steps.get(searchParams.get('step') ?? '') ?? HOUR
    const from = Date.parse(searchParams.get('from') ?? '') || 0
    const to = Date.parse(searchParams.get('to') ?? '') || now
    const starts = trades.map(({ settledAt }) => Math.floor(Date.parse(settledAt) / step) * step)
    const candles = [...new Set(starts)]
      .filter((start) => start >= from && start < to)
      .toReversed()
      .map((start) => {
        const own = trades.filter(({ settledAt }) => Math.floor(Date.parse(settledAt) / step) * step === start)
        const prices = own.map(({ unitPrice }) => unitPrice).toReversed()
        const amount = own.reduce((sum, one) => sum + one.amount, 0)
        const sol = own.reduce((sum, one) => sum + one.price, 0)
        const ends = { open: prices[0], close: prices.at(-1), high: Math.max(...prices), low: Math.min(...prices) }
        return { start: new Date(start).toISOString(), ...ends, amount, sol, trades: own.length, average: sol / amount }
      })
    return route.fulfill({ json: { candles } })
  })
  await page.route('**/api/marketplace/trades?*', (route) => route.fulfill({ json: { trades, nextCursor: null } }))
  await page.route('**/api/marketplace/summary', async (route) => {
    const reply = await route.fetch()
    /** @type {{ items: object[] }} */
    const { items } = await reply.json()
    const [last] = trades
    const before = trades.find(({ settledAt }) => Date.parse(settledAt) < now - 24 * HOUR)
    const change24h = last && before ? last.unitPrice / before.unitPrice - 1 : null
    return route.fulfill({ json: { items: items.map((item) => ({ ...item, last: last?.unitPrice ?? null, change24h })) } })
  })
}

/**
 * Shows the desk the figures of a market that has been busy for months.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function showFigures(page) {
  await page.route('**/api/studio/stats?*', (route) => {
    const { searchParams } = new URL(route.request().url())
    const group = searchParams.get('group') ?? 'day'
    const from = Date.parse(searchParams.get('from') ?? '')
    return route.fulfill({ json: { stats: group === 'tokenType' ? figuresOfDrinks() : figuresOver(group, from) } })
  })
}

function figuresOfDrinks() {
  return [...prices].map(([tokenType, price], index) => ({ tokenType, ...figures(1400 - index * 350, price) }))
}

/**
 * @param {string} group `day` or `hour`
 * @param {number} from in milliseconds
 */
function figuresOver(group, from) {
  const step = group === 'day' ? 24 * HOUR : HOUR
  const price = priceOf('GRAPE_SODA')
  const rows = []
  for (let at = Math.floor(from / step) * step; at < Date.now(); at += step) {
    const time = new Date(at).toISOString()
    const past = Math.min(1, (Date.now() - at) / step)
    const sales = Math.round(past * (group === 'day' ? 90 : 4) * (1.3 + Math.sin(at / HOUR / 41) * 0.35 + Math.sin(at / HOUR / 3.7) * 0.3))
    const when = group === 'day' ? { day: time.slice(0, 10) } : { hour: `${time.slice(0, 13)}:00:00Z` }
    if (sales > 0) rows.push({ ...when, ...figures(sales, price(at)) })
  }
  return rows
}

/**
 * @param {number} sales
 * @param {number} price of one, in SOL
 */
function figures(sales, price) {
  const lamports = Math.round(sales * 11 * price * 1e9)
  const counts = { sales, amount: sales * 11, buyers: Math.ceil(sales * 0.6), credited: sales * 9, debited: sales * 4 }
  return { ...counts, volumeLamports: String(lamports), feesLamports: String(Math.floor(lamports / 50)), medianUnitPrice: price }
}

/**
 * @param {string | null} tokenType
 * @returns {(at: number) => number} its price at a time in milliseconds, in SOL
 */
function priceOf(tokenType) {
  const middle = prices.get(tokenType ?? '') ?? 0.005
  return (at) => {
    const hours = at / HOUR
    const waves = 0.09 * Math.sin(hours / 31) + 0.05 * Math.sin(hours / 7.3 + middle * 1000) + 0.02 * Math.sin(hours * 2.1)
    return Number((middle * (1 + waves)).toFixed(6))
  }
}

/**
 * @param {number} start
 * @param {number} step in milliseconds
 * @param {(at: number) => number} price
 */
function candle(start, step, price) {
  const [open, close] = [price(start), price(start + step * 0.9)]
  const [high, low] = [Math.max(open, close) * 1.012, Math.min(open, close) * 0.99].map((sol) => Number(sol.toFixed(6)))
  const amount = 20 + Math.round(15 * Math.abs(Math.sin(start / HOUR)))
  return { start: new Date(start).toISOString(), open, high, low, close, amount, sol: amount * close, trades: 4, average: close }
}

/**
 * @param {number} index
 * @param {number} at in milliseconds
 * @param {(at: number) => number} price
 */
function trade(index, at, price) {
  const amount = 3 + ((index * 7) % 20)
  const unitPrice = price(at)
  const signature = Array.from({ length: 88 }, (_, place) => DIGITS[(place * 31 + index * 17 + place * index) % DIGITS.length]).join('')
  const settledAt = new Date(at).toISOString()
  return {
    id: `${index}`,
    tokenType: 'GRAPE_SODA',
    amount,
    price: Number((amount * unitPrice).toFixed(6)),
    unitPrice,
    signature,
    settledAt,
  }
}
