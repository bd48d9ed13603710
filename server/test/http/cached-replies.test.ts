import { describe, expect, it } from 'vitest'

import { serve } from './test-server.ts'

const json = '{"listings":[],"nextCursor":null}'
const ready = { json, length: json.length, etag: '"a-tag"' }

async function start(findCached = (url: string) => (url === '/api/marketplace/listings' ? ready : undefined)) {
  const fastify = await serve(
    (api) => api.open('listings', 'read', async (call) => call.sendJson('{"listings":[],"nextCursor":"the long way"}')),
    { findCached },
  )
  return fastify.listen({ port: 0, host: '127.0.0.1' })
}

const varying = new Set(['date', 'content-length', 'etag', 'cache-control'])
const steady = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !varying.has(name) && !name.startsWith('access-control-')))

describe('a ready reply', () => {
  it('has the same headers as any other reply', async () => {
    const url = `${await start()}/api/marketplace/listings`
    const [short, long] = await Promise.all([fetch(url), fetch(`${url}?limit=3`)])
    expect(await short.text()).toBe(json)
    expect(await long.text()).toContain('the long way')
    expect(steady(short)).toEqual(steady(long))
    expect(short.headers.get('cache-control')).toBe('no-cache')
  })

  it('sends no body if the client has it, even if a proxy made its tag a weak one', async () => {
    const url = `${await start()}/api/marketplace/listings`
    for (const known of ['"a-tag"', 'W/"a-tag"', '"other", "a-tag"']) {
      const reply = await fetch(url, { headers: { 'if-none-match': known } })
      expect([reply.status, await reply.text(), reply.headers.get('etag')]).toEqual([304, '', '"a-tag"'])
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is sent to GET alone, and not to other origins', async () => {
    const url = `${await start()}/api/marketplace/listings`
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect(await (await fetch(url, { headers: { origin: 'https://market.example' } })).text()).toContain('the long way')
  })
})
