import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { type AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'

import { proxies } from './proxies.ts'

const patience = { timeout: 30_000, interval: 100 }

/** A server as a proxy sees it: ready or not, and with an event stream. */
interface StubMarket {
  address: string
  /** Every call that was not about its health: its method and path, and the address that the proxy says it came from. */
  calls: { call: string; from: string | undefined }[]
  isReady: boolean
  /** Sends a line to all open event streams. */
  send(line: string): void
  /** It is gone: nothing listens any more. */
  stop(): void
}

async function startStubMarket(): Promise<StubMarket> {
  const streams = new Set<ServerResponse>()
  const server = http.createServer((request, reply) => {
    const { method, url = '' } = request
    if (url === '/health/live') return void reply.end()
    if (url === '/health/ready') return void reply.writeHead(market.isReady ? 200 : 503).end()
    const from = request.headers['x-forwarded-for']
    market.calls.push({ call: `${method} ${url}`, from: Array.isArray(from) ? from.join() : from })
    if (url !== '/api/marketplace/events') return void request.resume().on('end', () => reply.end(market.address))
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.add(reply)
    reply.on('close', () => streams.delete(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const market: StubMarket = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    isReady: true,
    send: (line) => streams.forEach((stream) => stream.write(`${line}\n`)),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  onTestFinished(() => market.stop())
  return market
}

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

/** A proxy in front of two servers, once it has found both. */
async function front(context: TestContext, start: (typeof proxies)[number]['start']): Promise<Proxy> {
  const [one, other] = [await startStubMarket(), await startStubMarket()]
  const proxy = { origin: await start(context, [one.address, other.address]), one, other }
  await expect.poll(() => answers(proxy), patience).toEqual([`200 ${one.address}`, `200 ${other.address}`].toSorted())
  return proxy
}

describe.each(proxies)('$name', { timeout: 120_000 }, ({ start, triesAgain }) => {
  it('passes on calls and the address they came from, whatever the caller says', async (context) => {
    const proxy = await front(context, start)
    const calls = () => [...proxy.one.calls, ...proxy.other.calls]
    await ask(proxy, '/api/marketplace/buy/7', 'POST', { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' })
    const call = 'POST /api/marketplace/buy/7'
    expect(calls().find((seen) => seen.call === call)).toEqual({ call, from: '127.0.0.1' })
  })

  it('passes on each event at once', async (context) => {
    const proxy = await front(context, start)
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
    one.stop()
    for (const method of triesAgain) expect(await answers(proxy, method)).toEqual([`200 ${other.address}`])
    await expect.poll(() => answers(proxy, 'POST'), patience).toEqual([`200 ${other.address}`])
  })
})
