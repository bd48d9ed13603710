import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'

import { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'

import { type Api, answered } from '../../src/http/api/route.ts'
import { serve } from './test-server.ts'

async function listen(fastify: FastifyInstance): Promise<number> {
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  return port
}

/** Sends some bytes. Resolves with everything that came back, once the server has closed the connection. */
async function talk(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  if (bytes) socket.write(bytes)
  await once(socket, 'close')
  return answer
}

const config = {
  productName: 'J',
  network: 'localnet',
  commitment: 'confirmed',
  demo: true,
  demoWallet: true,
  holdSeconds: 60,
  fee: { basisPoints: 0 },
  publicOrigin: null,
  pause: null,
  version: '1',
} as const

describe('a connection', () => {
  it('that is too slow is closed, while others are served', async () => {
    const fastify = await serve((api) => {
      api.open('config', 'read', async () => config)
      api.open('requestNonce', 'sign-in', async () => ({ nonce: 'n', message: 'm', expiresAt: '2030-01-01T00:00:00.000Z', millisLeft: 1 }))
    })
    const port = await listen(fastify)
    const silent = Array.from({ length: 200 }, () => talk(port, ''))
    const halfHead = Array.from({ length: 200 }, () => talk(port, 'GET /api/config HTTP/1.1\r\nhost: x\r\nx-slow: '))
    const halfBody = Array.from({ length: 20 }, () =>
      talk(port, 'POST /api/auth/nonce HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"wallet'),
    )
    expect((await fetch(`http://127.0.0.1:${port}/api/config`)).status).toBe(200)
    for (const answer of await Promise.all([...halfHead, ...halfBody])) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      expect(answer).toContain('"code":"REQUEST_TIMEOUT"')
    }
    await Promise.all(silent)
  })

  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a head of 20 kB', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, 413, 'BODY_TOO_LARGE'],
    [
      'two lengths',
      'POST /api/auth/nonce HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['no host', 'GET /api/config HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts', 'GET /api/config HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts, the older way', 'GET /api/config HTTP/1.0\r\nhost: x\r\nhost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown expectation', 'GET /api/config HTTP/1.1\r\nhost: x\r\nexpect: 200-maybe\r\n\r\n', 417, 'EXPECTATION_FAILED'],
  ])('with %s is answered and closed', async (_what, bytes, status, code) => {
    const port = await listen(await serve(() => {}))
    const answer = await talk(port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
  })

  it('with an endless body is refused without reading it', async () => {
    const port = await listen(await serve((api) => api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}'))))
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`
    const answer = await talk(
      port,
      `POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${chunk}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('a caller that leaves in the middle of its body', () => {
  it.each([
    ['breaks the connection', (socket: Socket) => void socket.resetAndDestroy()],
    ['closes it', (socket: Socket) => void socket.destroy()],
    ['says that no more will come', (socket: Socket) => void socket.end()],
  ])('and %s is no outage', async (_how, leave) => {
    const lines: { level: number; msg: string }[] = []
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const declare = (api: Api) => api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}'))
    const port = await listen(await serve(declare, { log }))
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
      api.open('config', 'read', async () => {
        called.resolve()
        await finished.promise
        return config
      })
      api.open('me', 'read', async () => ({ user: { walletAddress: 'x', createdAt: '2030-01-01T00:00:00.000Z' } }))
      api.open('events', 'read', async ({ reply }) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
        reply.raw.write(': hello\n\n')
        return answered
      })
    })
    const port = await listen(fastify)
    const idle = connect(port, '127.0.0.1')
    idle.write('GET /api/auth/me HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(idle, 'data')
    const events = await fetch(`http://127.0.0.1:${port}/api/marketplace/events`)
    const underWay = fetch(`http://127.0.0.1:${port}/api/config`)
    await called.promise

    const closed = fastify.close()
    expect(await events.text()).toBe(': hello\n\n')
    await closedSocket(idle)
    finished.resolve()
    expect((await underWay).status).toBe(200)
    await closed
  })
})

async function closedSocket(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close')
}

/** `Promise.withResolvers` needs Node.js 22. */
function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}
