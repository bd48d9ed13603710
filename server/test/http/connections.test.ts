import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { answered } from '../../src/http/route.ts'
import { type ServerOptions } from '../../src/http/server.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { listen, serve } from './test-server.ts'

/** Has the server listen on a free port, and returns that. */
const portOf = async (fastify: FastifyInstance) => Number(new URL(await listen(fastify)).port)

/** Sends some bytes. Resolves with everything that came back, once the server has closed the connection. */
async function talk(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  if (bytes) socket.write(bytes)
  await once(socket, 'close')
  return answer
}

const noListings = async () => ({ listings: [], nextCursor: null })
const serveRelay = (options?: Partial<ServerOptions>) =>
  serve((api) => api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}')), options)

describe('a connection', () => {
  const post = 'POST /api/auth/nonce HTTP/1.1\r\n'

  it('that is too slow is closed, while others are served', async () => {
    const fastify = await serve((api) => {
      api.open('listings', 'read', noListings)
      api.open('requestNonce', 'sign-in', async () => ({ nonce: 'n', message: 'm', expiresAt: '2030-01-01T00:00:00.000Z', millisLeft: 1 }))
    })
    const port = await portOf(fastify)
    const silent = Array.from({ length: 200 }, () => talk(port, ''))
    const halfHead = Array.from({ length: 200 }, () => talk(port, 'GET /api/marketplace/listings HTTP/1.1\r\nhost: x\r\nx-slow: '))
    const halfBody = Array.from({ length: 20 }, () =>
      talk(port, `${post}host: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"wallet`),
    )
    expect((await fetch(`http://127.0.0.1:${port}/api/marketplace/listings`)).status).toBe(200)
    for (const answer of await Promise.all([...halfHead, ...halfBody])) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      expect(answer).toContain('"code":"REQUEST_TIMEOUT"')
    }
    await Promise.all(silent)
  })

  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a head of 20 kB', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, 413, 'BODY_TOO_LARGE'],
    ['two lengths', `${post}host: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400, 'BAD_REQUEST'],
    ['no host', 'GET /api/config HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts', 'GET /api/config HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts, the older way', 'GET /api/config HTTP/1.0\r\nhost: x\r\nhost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown expectation', 'GET /api/config HTTP/1.1\r\nhost: x\r\nexpect: 200-maybe\r\n\r\n', 417, 'EXPECTATION_FAILED'],
  ])('with %s is answered and closed', async (_what, bytes, status, code) => {
    const port = await portOf(await serve(() => {}))
    const answer = await talk(port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
  })

  it('with an endless body is refused without reading it', async () => {
    const port = await portOf(await serveRelay())
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`
    const head = 'POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
    const answer = await talk(port, `${head}${chunk}${chunk}`)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('a caller that leaves in the middle of its body', () => {
  it.each([
    ['breaks the connection', (socket: Socket) => void socket.resetAndDestroy()],
    ['closes it', (socket: Socket) => void socket.destroy()],
    ['says that no more will come', (socket: Socket) => void socket.end()],
  ])('and %s is no outage', async (_how, leave) => {
    const { log, lines } = collectLog('debug')
    const port = await portOf(await serveRelay({ log }))
    const socket = connect(port, '127.0.0.1')
    socket.write('POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{')
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('a request arrived')
    leave(socket)
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('the caller aborted its request')
    expect(lines.filter(({ level, msg }) => level >= 40 || msg === 'a request was answered')).toEqual([])
  })
})

describe('closing the server', () => {
  it('lets a call under way finish, and ends event streams and idle connections', async () => {
    const called = withResolvers()
    const finished = withResolvers()
    const fastify = await serve((api) => {
      api.open('listings', 'read', async () => {
        called.resolve()
        await finished.promise
        return noListings()
      })
      api.open('me', 'read', async () => ({ user: { walletAddress: 'x', createdAt: '2030-01-01T00:00:00.000Z' } }))
      api.open('events', 'read', async ({ reply }) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
        reply.raw.write(': hello\n\n')
        return answered
      })
    })
    const port = await portOf(fastify)
    const idle = connect(port, '127.0.0.1')
    idle.write('GET /api/auth/me HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(idle, 'data')
    const events = await fetch(`http://127.0.0.1:${port}/api/marketplace/events`)
    const underWay = fetch(`http://127.0.0.1:${port}/api/marketplace/listings`)
    await called.promise

    const closed = fastify.close()
    expect(await events.text()).toBe(': hello\n\n')
    if (!idle.destroyed) await once(idle, 'close')
    finished.resolve()
    expect((await underWay).status).toBe(200)
    await closed
  })
})

/** `Promise.withResolvers` needs Node.js 22. */
function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}
