import { describe, expect, it } from 'vitest'

import { createMarket, MarketError, verifyWebhook } from '../../../client/src/client.ts'
import { signMessage } from '../../src/studio/webhooks/webhook.ts'

const wish = { tokenType: 'APPLE_JUICE', amount: 1, returnUrl: 'https://game.example/', idempotencyKey: 'order 1' }
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: `refused: ${code}`, code }, { status, headers })

/** A market that answers one call after the other like this, and what it was asked. */
function answering(...answers: (Response | Error)[]) {
  const asked: string[] = []
  const answer = async (url: unknown, { method = '' }: RequestInit = {}) => {
    asked.push(`${method} ${url instanceof URL ? url.href : ''}`)
    const next = answers[asked.length - 1] ?? new Error('nobody was to ask again')
    if (next instanceof Error) throw next
    return next
  }
  const market = createMarket({ url: 'https://market.example', key: 'jb_key', fetch: answer })
  return { market, asked }
}

describe('a call', () => {
  it('fills in its path and its query', async () => {
    const { market, asked } = answering(Response.json({ checkouts: [], nextCursor: null }), Response.json({ checkout: {} }))
    await market.studioCheckouts({ query: { status: 'open', clientReference: 'a & b' } })
    await market.studioCheckout({ params: { id: '../keys' } })
    expect(asked).toEqual([
      'GET https://market.example/api/studio/checkouts?status=open&clientReference=a+%26+b',
      'GET https://market.example/api/studio/checkouts/..%2Fkeys',
    ])
  })

  it('that is safe to repeat is repeated when there is no answer, and when the market does not know', async () => {
    const { market, asked } = answering(
      new TypeError('fetch failed'),
      refusal(503, 'DATABASE_DOWN'),
      Response.json({ checkout: { id: '1' } }),
    )
    expect((await market.createCheckout({ body: wish })).checkout.id).toBe('1')
    expect(asked).toHaveLength(3)
  })

  it('that came too soon is repeated after the time that the market names', async () => {
    const { market, asked } = answering(refusal(429, 'TOO_MANY_REQUESTS', { 'retry-after': '1' }), Response.json({ webhook: {} }))
    const began = performance.now()
    await market.createWebhook({ body: { url: 'https://game.example/', events: ['sale.settled'] } })
    expect(performance.now() - began).toBeGreaterThan(990)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['without an idempotency key is not repeated', new TypeError('fetch failed'), TypeError],
    ['that the market may have carried out is not repeated', refusal(503, 'DATABASE_DOWN'), MarketError],
    ['that would have to wait for minutes is not', refusal(429, 'TOO_MANY_REQUESTS', { 'retry-after': '600' }), MarketError],
  ])('%s', async (_what, answer, thrown) => {
    const { market, asked } = answering(answer)
    await expect(market.createStudioKey({ body: { name: 'a', scopes: ['read'] } })).rejects.toBeInstanceOf(thrown)
    expect(asked).toHaveLength(1)
  })

  it('that is refused throws the code and the words of the market, once', async () => {
    const { market, asked } = answering(refusal(409, 'CHECKOUT_OFF'))
    await expect(market.createCheckout({ body: wish })).rejects.toMatchObject({
      status: 409,
      code: 'CHECKOUT_OFF',
      message: 'refused: CHECKOUT_OFF',
    })
    expect(asked).toHaveLength(1)
  })

  it('is given up with its signal', async () => {
    const { market, asked } = answering(new TypeError('fetch failed'))
    await expect(market.studioMe({ signal: AbortSignal.abort() })).rejects.toThrow()
    expect(asked.length).toBeLessThanOrEqual(1)
  })
})

it('all sales are read page by page, from where the game stopped', async () => {
  const page = (ids: string[], next: string) => Response.json({ sales: ids.map((saleId) => ({ saleId })), next })
  const { market, asked } = answering(page(['1', '2'], 'b'), page(['3'], 'c'), page([], 'c'))
  const read: string[] = []
  let place = 'a'
  for await (const { sales, next } of market.sales({ after: place, everySeconds: 0 })) {
    read.push(...sales.map(({ saleId }) => saleId))
    place = next
  }
  expect(read).toEqual(['1', '2', '3'])
  expect(place).toBe('c')
  expect(asked.map((url) => url.slice(url.indexOf('after')))).toEqual(['after=a', 'after=b', 'after=c'])
})

describe('a message of a webhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = JSON.stringify({ type: 'checkout.completed', timestamp: '2030-01-31T12:00:00.000Z', data: { checkout: { id: '1' } } })
  const headersAt = (timestamp: number) => ({
    'content-type': 'application/json',
    'webhook-id': 'message',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage([secret], { id: 'message', timestamp, body }),
  })
  const now = Math.floor(Date.now() / 1_000)

  it('is read once its signature is verified', () => {
    const message = verifyWebhook(secret, body, headersAt(now))
    expect(message.type === 'checkout.completed' && message.data.checkout.id).toBe('1')
  })

  it.each([
    ['another body', secret, `${body} `, headersAt(now)],
    ['another secret', `whsec_${Buffer.alloc(32, 8).toString('base64')}`, body, headersAt(now)],
    ['an old message', secret, body, headersAt(now - 600)],
    ['no signature', secret, body, {}],
  ])('is refused with %s', (_what, given, text, headers) => {
    expect(() => verifyWebhook(given, text, headers)).toThrow()
  })
})
