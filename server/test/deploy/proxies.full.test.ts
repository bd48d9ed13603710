import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'

import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'

import { proxies } from './proxies.ts'
import { startStubMarket, type StubMarket } from './stub-market.ts'

const patience = { timeout: 30_000, interval: 100 }

interface Proxy {
  origin: string
  one: StubMarket
  other: StubMarket
}

async function open({ origin }: Proxy, path: string, method = 'GET', headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const request = origin.startsWith('https:') ? https.request : http.request
  // A new connection each time, as another player's.
  const call = request(origin + path, { method, agent: false, rejectUnauthorized: false, headers })
  call.end(method === 'POST' ? '{}' : undefined)
  const [reply] = (await once(call, 'response')) as [IncomingMessage]
  return reply
}

/** @returns the status and the body, which is the address of the server that answered */
async function ask(proxy: Proxy, path = '/', method = 'GET', headers: Record<string, string> = {}): Promise<string> {
  try {
    const reply = await open(proxy, path, method, headers)
    return `${reply.statusCode} ${(await reply.setEncoding('utf8').toArray()).join('')}`
  } catch (error) {
    return String(error)
  }
}

async function answers(proxy: Proxy, method = 'GET'): Promise<string[]> {
  const replies: string[] = []
  for (let call = 0; call < 12; call++) replies.push(await ask(proxy, `/api/marketplace/listings?${call}`, method))
  return [...new Set(replies)].toSorted()
}

async function front(context: TestContext, start: (typeof proxies)[number]['start']): Promise<Proxy> {
  const [one, other] = [await startStubMarket(), await startStubMarket()]
  return { origin: await start(context, [one.address, other.address]), one, other }
}

describe.each(proxies)('$name', { timeout: 120_000 }, ({ start, triesAgain }) => {
  it('passes on calls and the address they came from, whatever the caller says', async (context) => {
    const proxy = await front(context, start)
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${proxy.one.address}`, `200 ${proxy.other.address}`].toSorted())
    const calls = () => [...proxy.one.calls, ...proxy.other.calls]
    await ask(proxy, '/api/marketplace/buy/7', 'POST', { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' })
    expect(calls().find(({ call }) => call === 'POST /api/marketplace/buy/7')).toEqual({
      call: 'POST /api/marketplace/buy/7',
      from: '127.0.0.1',
    })
  })

  it('passes on each event at once', async (context) => {
    const proxy = await front(context, start)
    await expect.poll(() => ask(proxy), patience).toMatch(/^200 /)
    const stream = await open(proxy, '/api/marketplace/events')
    let received = ''
    stream.setEncoding('utf8').on('data', (text: string) => (received += text))
    onTestFinished(() => void stream.destroy())
    for (const line of ['data: one', 'data: two']) {
      proxy.one.send(line)
      proxy.other.send(line)
      await expect.poll(() => received, patience).toContain(line)
    }
    expect(stream.complete).toBe(false)
  })

  it('sends nothing to a server that drains, and what is left to those that are live', async (context) => {
    const proxy = await front(context, start)
    const { one, other } = proxy
    const both = [`200 ${one.address}`, `200 ${other.address}`].toSorted()
    await expect.poll(() => answers(proxy), patience).toEqual(both)
    one.isReady = false
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${other.address}`])
    one.stop()
    expect(await answers(proxy, 'POST')).toEqual([`200 ${other.address}`])
    other.isReady = false
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${other.address}`])
  })

  it('sends what a dead server did not get to another one', async (context) => {
    const proxy = await front(context, start)
    const { one, other } = proxy
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${one.address}`, `200 ${other.address}`].toSorted())
    one.stop()
    for (const method of triesAgain) expect(await answers(proxy, method)).toEqual([`200 ${other.address}`])
    await expect.poll(() => answers(proxy, 'POST'), patience).toEqual([`200 ${other.address}`])
  })
})
