import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

import { describe, expect, it, onTestFinished } from 'vitest'

import { collectLog } from '../../runtime/collected-log.ts'
import { studioApiKey } from '../../support/start-app.ts'
import { refused, startStudio, type StudioClient, useStudio } from '../studio-client.ts'

const { log, lines } = collectLog('debug')
const studio = useStudio({ log })
const { call, get, createKey, readPages } = studio

const read = (key: string, server: StudioClient = studio) => server.call('GET', '/cases', { key })
const invalid = { status: 401, body: { code: 'STUDIO_KEY_INVALID', error: 'This call needs a studio key.' } }

describe('a secret', () => {
  it('is shown once, and only its hash is kept', async () => {
    const key = await createKey({ name: 'game', scopes: ['read', 'credit'] })
    expect(key).toMatchObject({ name: 'game', scopes: ['read', 'credit'], createdBy: 'root key', dailyCreditLimit: null, lastUsedAt: null })
    expect(key.secret).toMatch(/^jb_[\w-]{43}$/)
    await call('GET', '/cases', { key: key.secret })
    const { keys } = (await get('/keys')).body
    expect(keys.find(({ id }: { id: string }) => id === key.id)).toMatchObject({ name: 'game' })
    const { rows } = await studio.pool.query('select k::text as row from studio_keys k union all select l::text from studio_log l')
    for (const text of [JSON.stringify(keys), JSON.stringify(rows), JSON.stringify(lines)]) expect(text).not.toContain(key.secret.slice(3))
  })

  it('that is missing, unknown or malformed is refused in the same words', async () => {
    const { secret, id } = await createKey({ scopes: ['read'] })
    expect((await fetch(`${studio.origin}/api/studio/cases`)).status).toBe(401)
    const another = `jb_${randomBytes(32).toString('base64url')}`
    const altered = [`${secret}x`, secret.slice(0, -1), secret.slice(3), secret.toLowerCase()]
    for (const key of ['', 'jb_', another, ...altered, id, `${studioApiKey}x`]) expect(await read(key)).toEqual(invalid)
    expect((await read(secret)).status).toBe(200)
  })
})

describe('a key', () => {
  it('that was revoked is refused at once, on every server, and says so only to its holder', async () => {
    const other = await startStudio(studio.url)
    const { secret, id } = await createKey({ scopes: ['read'] })
    expect((await read(secret, other)).status).toBe(200)
    const revoked = await call('DELETE', `/keys/${id}`)
    expect(revoked).toMatchObject({ status: 200, body: { key: { id, revokedAt: expect.any(String) } } })
    for (const server of [studio, other]) {
      expect(await read(secret, server)).toEqual({ status: 401, body: { code: 'KEY_REVOKED', error: 'This studio key was revoked.' } })
      expect(await read(`jb_${'x'.repeat(43)}`, server)).toEqual(invalid)
    }
    expect(await call('DELETE', `/keys/${id}`)).toEqual(revoked)
  })

  it('that was revoked while the body of its call was arriving is refused', async () => {
    const { secret, id } = await createKey({ scopes: ['read'] })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const sending = request(`${studio.origin}/api/studio/audits`, { method: 'POST', headers })
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>
    sending.write('{')
    const used = async () => (await get('/keys')).body.keys.find((key: { id: string }) => key.id === id).lastUsedAt
    await expect.poll(used).not.toBeNull()
    await call('DELETE', `/keys/${id}`)
    sending.end('"full":false}')
    const [reply] = await answer
    reply.resume()
    expect(reply.statusCode).toBe(401)
  })

  it('that has expired is refused', async () => {
    const { secret, id } = await createKey({ scopes: ['read'], expiresAt: '2099-01-01T00:00:00+02:00' })
    expect((await read(secret)).status).toBe(200)
    await studio.pool.query('update studio_keys set expires_at = now() where id = $1', [id])
    expect(await read(secret)).toEqual({ status: 401, body: { code: 'KEY_EXPIRED', error: 'This studio key has expired.' } })
  })

  it('is rotated without a gap: two are valid until one is revoked', async () => {
    const game = { name: 'game', scopes: ['read'] }
    const [old, young] = [await createKey(game), await createKey(game)]
    for (const { secret } of [old, young]) expect((await read(secret)).status).toBe(200)
    await call('DELETE', `/keys/${old.id}`)
    expect([(await read(old.secret)).status, (await read(young.secret)).status]).toEqual([401, 200])
  })

  it('that does not exist cannot be revoked', async () => {
    for (const id of ['nothing', '01a1f7e3-d2be-70a3-b634-7c62066aaf1d']) {
      expect(await call('DELETE', `/keys/${id}`)).toMatchObject(refused(404, 'KEY_NOT_FOUND'))
    }
  })

  it('shows when it was last used, written at most once a minute', async () => {
    const { secret, id } = await createKey({ scopes: ['read'] })
    const lastUse = async () =>
      (await studio.pool.query<{ at: Date | null }>('select last_used_at as at from studio_keys where id = $1', [id])).rows[0]?.at
    await read(secret)
    await expect.poll(lastUse).toBeInstanceOf(Date)
    const first = await lastUse()
    await Promise.all(Array.from({ length: 10 }, () => read(secret)))
    expect(await lastUse()).toEqual(first)
    await studio.pool.query(`update studio_keys set last_used_at = now() - interval '61 s' where id = $1`, [id])
    await read(secret)
    await expect.poll(async () => (await lastUse())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity)
  })

  it('answers although its last use cannot be recorded yet', async () => {
    const { secret, id } = await createKey({ scopes: ['read'] })
    const client = await studio.pool.pg.connect()
    onTestFinished(() => client.release())
    await client.query('begin')
    await client.query('select from studio_keys where id = $1 for update', [id])
    expect((await read(secret)).status).toBe(200)
    await client.query('rollback')
  })
})

describe('a new key', () => {
  it.each<[string, object]>([
    ['no scopes', { scopes: [] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['a scope twice', { scopes: ['read', 'read'] }],
    ['scopes as text', { scopes: 'read' }],
    ['a negative limit', { dailyCreditLimit: -1 }],
    ['half a drink', { dailyCreditLimit: 0.5 }],
    ['a date', { expiresAt: '2099-01-01' }],
    ['no time of any calendar', { expiresAt: '2099-13-01T00:00:00Z' }],
    ['a day that does not exist', { expiresAt: '2099-02-30T00:00:00Z' }],
    ['a time that has passed', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['an endless name', { name: 'x'.repeat(65) }],
    ['the name of the root key', { name: ' Root Key' }],
    ['a name that the log would take for a wallet', { name: 'So11111111111111111111111111111111111111112' }],
    ['another field', { secret: 'mine' }],
  ])('with %s is refused', async (_what, wish) => {
    const reply = await call('POST', '/keys', { body: { name: 'a key', scopes: ['read'], ...wish } })
    expect(reply).toMatchObject(refused(400, 'BAD_REQUEST'))
  })

  it('may do as much as its maker, or less', async () => {
    const expiresAt = '2090-01-01T00:00:00.000Z'
    const maker = await createKey({ name: 'maker', scopes: ['admin', 'credit'], dailyCreditLimit: 100, expiresAt })
    const same = { name: 'child', scopes: ['credit', 'admin'], dailyCreditLimit: 100, expiresAt }
    expect(await createKey(same, maker.secret)).toMatchObject({ createdBy: 'maker', dailyCreditLimit: 100, expiresAt })
    const more = [
      { scopes: ['credit', 'debit'] },
      { dailyCreditLimit: 101 },
      { dailyCreditLimit: undefined },
      { dailyCreditLimit: null },
      { expiresAt: '2090-01-01T00:00:00.001Z' },
      { expiresAt: undefined },
    ]
    for (const wish of more) {
      const reply = await call('POST', '/keys', { key: maker.secret, body: { ...same, ...wish } })
      expect(reply).toMatchObject(refused(403, 'KEY_TOO_POWERFUL'))
    }
  })
})

describe('a key that has made others', () => {
  it('ends only itself and the keys below it', async () => {
    const admin = { scopes: ['admin', 'read'] }
    const top = await createKey(admin)
    const [maker, sister] = [await createKey(admin, top.secret), await createKey(admin, top.secret)]
    const child = await createKey(admin, maker.secret)
    const grandchild = await createKey(admin, child.secret)
    const end = (id: string) => call('DELETE', `/keys/${id}`, { key: maker.secret })
    for (const { id, secret } of [top, sister]) {
      expect(await end(id)).toMatchObject(refused(403, 'NOT_YOUR_KEY'))
      expect((await read(secret)).status).toBe(200)
    }
    expect(await end('01a1f7e3-d2be-70a3-b634-7c62066aaf1d')).toMatchObject(refused(404, 'KEY_NOT_FOUND'))
    for (const { id } of [grandchild, child, maker]) expect((await end(id)).status).toBe(200)
  })

  it('lets new ones replace only itself and the keys below it', async () => {
    const top = await createKey({ scopes: ['admin'] })
    const maker = await createKey({ scopes: ['admin'] }, top.secret)
    const child = await createKey({ scopes: ['admin'] }, maker.secret)
    const replace = async (replaces: string) => {
      const { status, body } = await call('POST', '/keys', { key: maker.secret, body: { name: 'next', scopes: ['admin'], replaces } })
      return body.code ?? status
    }
    const ids = [maker.id, child.id, top.id, '01a1f7e3-d2be-70a3-b634-7c62066aaf1d', 'nothing']
    expect(await Promise.all(ids.map(replace))).toEqual([201, 201, 'NOT_YOUR_KEY', 'KEY_NOT_FOUND', 'KEY_NOT_FOUND'])
  })

  it('before it was recorded does not count as their maker', async () => {
    const maker = await createKey({ scopes: ['admin'] })
    const { id } = await createKey({ scopes: ['admin'] }, maker.secret)
    await studio.pool.query('update studio_keys set maker_id = null where id = $1', [id])
    expect(await call('DELETE', `/keys/${id}`, { key: maker.secret })).toMatchObject(refused(403, 'NOT_YOUR_KEY'))
    expect((await call('DELETE', `/keys/${id}`)).status).toBe(200)
  })
})

describe('the log', () => {
  it('names the key that made or revoked another, or started an audit, each once', async () => {
    const admin = await createKey({ name: 'admin', scopes: ['admin', 'read'] })
    const { id } = await createKey({ scopes: ['read'] }, admin.secret)
    for (let time = 0; time < 2; time++) await call('DELETE', `/keys/${id}`, { key: admin.secret })
    const { audit } = (await call('POST', '/audits', { key: admin.secret })).body
    await call('POST', '/keys', { key: admin.secret, body: { name: 'more', scopes: ['debit'] } })
    const { log } = (await get('/log?limit=4')).body
    const by = { key: 'admin', reason: null, orderId: null, order: null }
    expect(log).toMatchObject([
      { ...by, call: 'startAudit', subject: audit.id },
      { ...by, call: 'revokeStudioKey', subject: id },
      { ...by, call: 'createStudioKey', subject: id },
      { key: 'root key', call: 'createStudioKey', subject: admin.id },
    ])
  })
})

describe('the list of keys', () => {
  it('has every key once, the newest first, and refuses a cursor that it has not given', async () => {
    for (let count = 0; count < 3; count++) await createKey({ scopes: ['read'] })
    const { rows } = await studio.pool.query<{ id: string }>('select id::text from studio_keys order by id desc')
    expect(await readPages('/keys', 'keys', 2)).toEqual(rows.map(({ id }) => id))
    for (const cursor of ['x', '0', '%27;--']) {
      expect(await call('GET', `/keys?cursor=${cursor}`)).toMatchObject(refused(400, 'CURSOR_INVALID'))
    }
  })
})
