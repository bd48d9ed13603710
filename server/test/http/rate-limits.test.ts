import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { normalizeIP } from '@fastify/rate-limit'
import { describe, expect, it } from 'vitest'
import { bearerToken, type FindStudioKey } from '../../src/http/credentials.ts'
import { type ServerOptions } from '../../src/http/server.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { listen, PLAYER, serve, signedIn, STUDIO_KEY } from './test-server.ts'

const nonce = { nonce: 'n', message: 'm', expiresAt: '2030-01-01T00:00:00.000Z', millisLeft: 1 }
const noCases = async () => ({ cases: [], nextCursor: null })

const serveNonces = (options?: Partial<ServerOptions>) => serve((api) => api.open('requestNonce', 'sign-in', async () => nonce), options)

/** A server of the studio for these callers, and the statuses of its replies to calls with a token. */
async function serveStudio(callers: Parameters<typeof serve>[2]) {
  const fastify = await serve((api) => api.studio('studioCases', 'read', noCases), {}, callers)
  const call = async (token: string) =>
    (await fastify.inject({ url: '/api/studio/cases', headers: { authorization: `Bearer ${token}` } })).statusCode
  const statuses = async (token: string, count = 1_200) => new Set(await Promise.all(Array.from({ length: count }, () => call(token))))
  return { call, statuses }
}

function ask(walletAddress: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') {
  return { method: 'POST' as const, url: '/api/auth/nonce', headers, remoteAddress, payload: { walletAddress } }
}

describe('too many calls', () => {
  const other = '11111111111111111111111111111111'

  it('are refused for that wallet alone, with the time to wait in the header and in words', async () => {
    const fastify = await serveNonces()
    for (let call = 0; call < 20; call++) expect((await fastify.inject(ask(PLAYER))).statusCode).toBe(200)
    const refused = await fastify.inject(ask(PLAYER))
    const wait = Number(refused.headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toEqual({ error: `Too many requests. Please wait ${wait} seconds and try again.`, code: 'TOO_MANY_REQUESTS' })
    expect((await fastify.inject(ask(other))).statusCode).toBe(200)
  })

  it('of a stranger do not use up the calls of a wallet from its own address', async () => {
    const fastify = await serveNonces()
    for (let call = 0; call < 21; call++) await fastify.inject(ask(PLAYER, {}, '192.0.2.1'))
    expect((await fastify.inject(ask(PLAYER, {}, '192.0.2.1'))).statusCode).toBe(429)
    expect((await fastify.inject(ask(PLAYER, {}, '192.0.2.2'))).statusCode).toBe(200)
  })

  it('cannot hide behind forged forwarded addresses', async () => {
    const fastify = await serveNonces()
    const statuses = new Set<number>()
    for (let call = 0; call < 21; call++)
      statuses.add((await fastify.inject(ask(PLAYER, { 'x-forwarded-for': `198.51.100.${call}` }))).statusCode)
    expect([...statuses]).toEqual([200, 429])
  })

  it('count by forwarded address if the proxy is trusted', async () => {
    const fastify = await serveNonces({ trustProxy: ['10.0.0.0/8'] })
    const forwarded = (address: string, proxy: string) => fastify.inject(ask(PLAYER, { 'x-forwarded-for': address }, proxy))
    for (let call = 0; call < 20; call++) await forwarded('198.51.100.1', '10.0.0.1')
    expect((await forwarded('198.51.100.1', '10.0.0.2')).statusCode).toBe(429)
    expect((await forwarded('198.51.100.2', '10.0.0.1')).statusCode).toBe(200)
    for (let call = 0; call < 20; call++) await forwarded(`203.0.113.${call}`, '192.0.2.9')
    expect((await forwarded('203.0.113.99', '192.0.2.9')).statusCode).toBe(429)
  })

  it('of a signed-in player count by the wallet, not by what the body names', async () => {
    const fastify = await serve((api) => api.player('cases', 'write', noCases))
    const call = (address: string) => fastify.inject({ url: '/api/marketplace/cases', headers: signedIn, remoteAddress: address })
    for (let count = 0; count < 60; count++) expect((await call(`192.0.2.${count}`)).statusCode).toBe(200)
    expect((await call('192.0.2.100')).statusCode).toBe(429)
  })

  it('of the studio count by key, and only those with a wrong key by address', async () => {
    const made = { kind: 'key', name: 'the same', scopes: ['read'], namespace: '', dailyCreditLimit: null, expiresAt: null } as const
    const findStudioKey: FindStudioKey = async (secret) => {
      if (!['first', 'second'].includes(secret)) throw new Failure('STUDIO_KEY_INVALID')
      return { ...made, id: secret }
    }
    const { call, statuses } = await serveStudio({ findStudioKey })
    expect(await statuses('first', 12_000)).toEqual(new Set([200]))
    expect(await call('first')).toBe(429)
    expect(await statuses('wrong')).toEqual(new Set([401]))
    expect([await call('wrong'), await call('second'), await call(STUDIO_KEY)]).toEqual([429, 200, 200])
  })

  it('of the staff count by wallet, and only those of others by address', async () => {
    const players: Record<string, string> = { 'a.b.c': PLAYER, 'd.e.f': 'another wallet', 'g.h.i': 'a stranger' }
    const { call, statuses } = await serveStudio({
      authenticate: async (request) => ({ id: 'session', player: (players[bearerToken(request) ?? ''] ?? '') as WalletAddress }),
      staff: {
        find: async (wallet) =>
          wallet === players['g.h.i'] ? undefined : { kind: 'staff', name: wallet, wallet, scopes: ['read'], namespace: '' },
        checkSignature: async () => undefined,
      },
    })
    expect(await statuses('a.b.c')).toEqual(new Set([200]))
    expect(await call('a.b.c')).toBe(429)
    expect(await statuses('g.h.i')).toEqual(new Set([403]))
    expect([await call('g.h.i'), await call('d.e.f'), await call(STUDIO_KEY)]).toEqual([429, 200, 200])
  })

  it('of one IPv6 network count together', async () => {
    const fastify = await serve((api) => api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}')))
    const call = (address: string) => fastify.inject({ method: 'POST', url: '/rpc', remoteAddress: address, payload: {} })
    for (let count = 0; count < 600; count++) await call(`2001:db8:0:1::${count.toString(16)}`)
    expect((await call('2001:db8:0:1:ffff::1')).statusCode).toBe(429)
    expect((await call('2001:db8:0:2::1')).statusCode).toBe(200)
  })

  it("by a caller that has gone are nobody's fault", async () => {
    const { log, lines } = collectLog('warn')
    const fastify = await serveNonces({ log })
    const progress: string[] = []
    fastify.addHook('onRequest', async ({ raw }) => {
      progress.push('arrived')
      await expect.poll(() => raw.socket.destroyed).toBe(true)
    })
    fastify.addHook('onError', async () => void progress.push('refused'))
    const origin = await listen(fastify)
    const gone = new AbortController()
    const call = fetch(`${origin}/api/auth/nonce`, { method: 'POST', signal: gone.signal })
    await expect.poll(() => progress).toEqual(['arrived'])
    gone.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => progress).toEqual(['arrived', 'refused'])
    expect(lines).toEqual([])
  })
})

describe('one caller', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:0:1::7', '2001:db8:0:1::'],
    ['2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::'],
    ['2001:db8::', '2001:db8::'],
    ['2001:db8::1:2:3:4', '2001:db8::'],
    ['::1', '::'],
    ['fe80::1%eth0', 'fe80::'],
  ])('at %s counts as %s', (ip, network) => {
    expect(normalizeIP(ip)).toBe(network)
  })
})
