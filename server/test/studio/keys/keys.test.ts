import { randomBytes } from 'node:crypto'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { collectLog } from '../../logging/collected-log.ts'
import { freshDatabase, type FreshDatabase } from '../../support/fresh-database.ts'
import { studioApiKey } from '../../support/start-app.ts'
import { startStudio, type StudioClient } from '../studio-client.ts'

let fresh: FreshDatabase
let pool: pg.Pool

beforeAll(async () => {
  fresh = await freshDatabase()
  pool = new pg.Pool({ connectionString: fresh.url, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await fresh.drop()
})

const start = () => startStudio(fresh.url)

const read = ({ call }: StudioClient, key: string) => call('GET', '/cases', { key })
const invalid = { status: 401, body: { code: 'STUDIO_KEY_INVALID', error: 'This call needs a studio key.' } }

describe('a secret', () => {
  it('is shown once, and only its hash is kept', async () => {
    const { log, lines } = collectLog('debug')
    const { call, createKey } = await startStudio(fresh.url, { log })
    const key = await createKey({ name: 'game', scopes: ['read', 'credit'] })
    expect(key).toMatchObject({ name: 'game', scopes: ['read', 'credit'], createdBy: 'root key', dailyCreditLimit: null, lastUsedAt: null })
    expect(key.secret).toMatch(/^jb_[\w-]{43}$/)
    await call('GET', '/cases', { key: key.secret })
    const { keys } = (await call('GET', '/keys')).body
    expect(keys.find(({ id }: { id: string }) => id === key.id)).toMatchObject({ name: 'game' })
    const { rows } = await pool.query('select k::text as row from studio_keys k union all select l::text from studio_log l')
    for (const text of [JSON.stringify(keys), JSON.stringify(rows), JSON.stringify(lines)]) expect(text).not.toContain(key.secret.slice(3))
  })

  it('that is missing, unknown or malformed is refused in the same words', async () => {
    const { origin, call, createKey } = await start()
    const { secret, id } = await createKey({ scopes: ['read'] })
    expect((await fetch(`${origin}/api/studio/cases`)).status).toBe(401)
    const wrong = [
      '',
      'jb_',
      `jb_${randomBytes(32).toString('base64url')}`,
      `${secret}x`,
      secret.slice(0, -1),
      secret.slice(3),
      secret.toLowerCase(),
      id,
      `${studioApiKey}x`,
    ]
    for (const key of wrong) expect(await call('GET', '/cases', { key })).toEqual(invalid)
    expect((await call('GET', '/cases', { key: secret })).status).toBe(200)
  })
})

describe('a key', () => {
  it('that was revoked is refused at once, on every server, and says so only to its holder', async () => {
    const [one, other] = [await start(), await start()]
    const { secret, id } = await one.createKey({ scopes: ['read'] })
    expect((await read(other, secret)).status).toBe(200)
    const revoked = await one.call('DELETE', `/keys/${id}`)
    expect(revoked).toMatchObject({ status: 200, body: { key: { id, revokedAt: expect.any(String) } } })
    for (const server of [one, other]) {
      expect(await read(server, secret)).toEqual({ status: 401, body: { code: 'KEY_REVOKED', error: 'This studio key was revoked.' } })
      expect(await read(server, `jb_${'x'.repeat(43)}`)).toEqual(invalid)
    }
    expect(await one.call('DELETE', `/keys/${id}`)).toEqual(revoked)
  })

  it('that has expired is refused', async () => {
    const server = await start()
    const { secret, id } = await server.createKey({ scopes: ['read'], expiresAt: '2099-01-01T00:00:00+02:00' })
    expect((await read(server, secret)).status).toBe(200)
    await pool.query('update studio_keys set expires_at = now() where id = $1', [id])
    expect(await read(server, secret)).toEqual({ status: 401, body: { code: 'KEY_EXPIRED', error: 'This studio key has expired.' } })
  })

  it('is rotated without a gap: two are valid until one is revoked', async () => {
    const server = await start()
    const [old, young] = [
      await server.createKey({ name: 'game', scopes: ['read'] }),
      await server.createKey({ name: 'game', scopes: ['read'] }),
    ]
    for (const { secret } of [old, young]) expect((await read(server, secret)).status).toBe(200)
    await server.call('DELETE', `/keys/${old.id}`)
    expect([(await read(server, old.secret)).status, (await read(server, young.secret)).status]).toEqual([401, 200])
  })

  it('that does not exist cannot be revoked', async () => {
    const { call } = await start()
    for (const id of ['nothing', '01a1f7e3-d2be-70a3-b634-7c62066aaf1d']) {
      expect(await call('DELETE', `/keys/${id}`)).toMatchObject({ status: 404, body: { code: 'KEY_NOT_FOUND' } })
    }
  })

  it('shows when it was last used, written at most once a minute', async () => {
    const server = await start()
    const { secret, id } = await server.createKey({ scopes: ['read'] })
    const lastUse = async () =>
      (await pool.query<{ at: Date | null }>('select last_used_at as at from studio_keys where id = $1', [id])).rows[0]?.at
    await read(server, secret)
    await expect.poll(lastUse).toBeInstanceOf(Date)
    const first = await lastUse()
    await Promise.all(Array.from({ length: 10 }, () => read(server, secret)))
    expect(await lastUse()).toEqual(first)
    await pool.query(`update studio_keys set last_used_at = now() - interval '61 s' where id = $1`, [id])
    await read(server, secret)
    await expect.poll(async () => (await lastUse())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity)
  })

  it('answers although its last use cannot be recorded yet', async () => {
    const server = await start()
    const { secret, id } = await server.createKey({ scopes: ['read'] })
    const client = await pool.connect()
    onTestFinished(() => client.release())
    await client.query('begin')
    await client.query('select from studio_keys where id = $1 for update', [id])
    expect((await read(server, secret)).status).toBe(200)
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
    ['a time that has passed', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['an endless name', { name: 'x'.repeat(65) }],
    ['the name of the root key', { name: ' Root Key' }],
    ['a name that the log would take for a wallet', { name: 'So11111111111111111111111111111111111111112' }],
    ['another field', { secret: 'mine' }],
  ])('with %s is refused', async (_what, wish) => {
    const { call } = await start()
    const reply = await call('POST', '/keys', { body: { name: 'a key', scopes: ['read'], ...wish } })
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
  })

  it('may do as much as its maker, or less', async () => {
    const { call, createKey } = await start()
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
      expect(reply).toMatchObject({ status: 403, body: { code: 'KEY_TOO_POWERFUL' } })
    }
  })
})

describe('the log', () => {
  it('names the key that made or revoked another, or started an audit, each once', async () => {
    const { call, createKey } = await start()
    const admin = await createKey({ name: 'admin', scopes: ['admin', 'read'] })
    const { id } = await createKey({ scopes: ['read'] }, admin.secret)
    for (let time = 0; time < 2; time++) await call('DELETE', `/keys/${id}`, { key: admin.secret })
    const { audit } = (await call('POST', '/audits', { key: admin.secret })).body
    await call('POST', '/keys', { key: admin.secret, body: { name: 'more', scopes: ['debit'] } })
    const { log } = (await call('GET', '/log?limit=4')).body
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
    const { call, createKey } = await start()
    for (let count = 0; count < 3; count++) await createKey({ scopes: ['read'] })
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `/keys?limit=2${cursor}`)
      seen.push(...body.keys.map(({ id }: { id: string }) => id))
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    const { rows } = await pool.query<{ id: string }>('select id from studio_keys order by id desc')
    expect(seen).toEqual(rows.map(({ id }) => id))
    for (const cursor of ['x', '0', '%27;--']) {
      expect(await call('GET', `/keys?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID' } })
    }
  })
})
