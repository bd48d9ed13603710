import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type Scope, scopes } from '@juicebar/contract/scopes'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { freshDatabase, type FreshDatabase } from '../../support/fresh-database.ts'
import { studioApiKey } from '../../support/start-app.ts'
import { memberOfStaff } from '../staff/desk-client.ts'
import { startStudio, type StudioClient } from '../studio-client.ts'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))

afterAll(() => fresh.drop())

type StudioCall = keyof typeof studioEndpoints

/** What a key needs for each call: one of these. */
const needed: Record<StudioCall, Scope[]> = {
  studioCredit: ['credit'],
  studioDebit: ['debit'],
  studioOrders: ['credit', 'debit'],
  createStudioKey: ['admin'],
  studioKeys: ['admin'],
  revokeStudioKey: ['admin'],
  studioMe: [...scopes],
  studioStaff: ['admin'],
  readStaff: ['admin'],
  setStaff: ['admin'],
  removeStaff: ['admin'],
  requestChallenge: [...scopes],
  studioLog: ['admin'],
  studioCases: ['read'],
  closeCase: ['cases'],
  studioSales: ['read'],
  studioPlayer: ['read'],
  studioPurchases: ['read'],
  studioPurchase: ['read'],
  studioStats: ['read'],
  releasePurchase: ['cases'],
  audit: ['read'],
  startAudit: ['read'],
  audits: ['read'],
  readAudit: ['read'],
  startRecovery: ['admin'],
  readRecovery: ['read'],
  acceptRecovery: ['admin'],
  createWebhook: ['admin'],
  webhooks: ['admin'],
  changeWebhook: ['admin'],
  deleteWebhook: ['admin'],
  rotateWebhook: ['admin'],
  webhookDeliveries: ['admin'],
  replayWebhook: ['admin'],
  readPause: ['read'],
  pauseMarket: ['rules'],
  resumeMarket: ['rules'],
  studioBlocks: ['read'],
  readBlock: ['read'],
  blockWallet: ['rules'],
  unblockWallet: ['rules'],
  readRules: ['read'],
  setRules: ['rules'],
}
const studioCalls = Object.keys(studioEndpoints) as StudioCall[]

/** The calls that a server documents as the studio's. */
async function documentedCalls(origin: string): Promise<string[]> {
  const document: ReturnType<typeof JSON.parse> = await (await fetch(`${origin}/api/openapi.json`)).json()
  return Object.values<object>(document.paths)
    .flatMap((methods) => Object.values<ReturnType<typeof JSON.parse>>(methods))
    .filter(({ security }) => security?.some((one: object) => 'studioKey' in one))
    .map(({ operationId }) => operationId)
}

/** A session of a wallet that is no longer on the staff, of one that never was, one that was signed out, one that was altered. */
async function sessionsOfOthers(studio: StudioClient & { origin: string }) {
  const former = await memberOfStaff(studio, { scopes })
  await studio.call('DELETE', `/staff/${former.wallet.address}`)
  const [never, out, altered] = [
    await memberOfStaff(studio),
    await memberOfStaff(studio, { scopes }),
    await memberOfStaff(studio, { scopes }),
  ]
  await fetch(`${studio.origin}/api/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${out.token}` } })
  return [
    { key: former.token, status: 403, code: 'NOT_STAFF' },
    { key: never.token, status: 403, code: 'NOT_STAFF' },
    { key: out.token, status: 401, code: 'SESSION_ENDED' },
    { key: altered.token.replace(/.{5}$/, 'AAAAA'), status: 401, code: 'SESSION_ENDED' },
  ]
}

/** Calls one of the calls with nothing that it would accept. */
function requestOf(name: StudioCall) {
  const [method = '', path = ''] = studioEndpoints[name].split(' ')
  const route = path.replace('/api/studio', '').replaceAll(/:\w+/g, '01a1f7e3-d2be-70a3-b634-7c62066aaf1d')
  return { method, route, body: method === 'GET' || method === 'DELETE' ? {} : { body: {} } }
}

describe('every call by every key', () => {
  it('is in this table', async () => {
    const { origin } = await startStudio(fresh.url)
    expect(Object.keys(needed).toSorted()).toEqual(studioCalls.toSorted())
    expect((await documentedCalls(origin)).toSorted()).toEqual(studioCalls.toSorted())
  })

  it('is let in if the key has its scope, and always with the root key', { timeout: 60_000 }, async () => {
    const { call, createKey } = await startStudio(fresh.url)
    const secrets = new Map<Scope, string>()
    for (const scope of scopes) secrets.set(scope, (await createKey({ name: scope, scopes: [scope] })).secret)
    for (const name of studioCalls) {
      const { method, route, body } = requestOf(name)
      for (const [scope, key] of secrets) {
        const reply = await call(method, route, { key, ...body })
        const answer = [401, 403].includes(reply.status) ? reply.body.code : 'let in'
        expect([name, scope, answer]).toEqual([name, scope, needed[name].includes(scope) ? 'let in' : 'INSUFFICIENT_SCOPE'])
      }
      expect([401, 403]).not.toContain((await call(method, route, { key: studioApiKey, ...body })).status)
    }
  })

  it('is let in with a session of the staff with its scope, and then needs a signature or not', { timeout: 60_000 }, async () => {
    const studio = await startStudio(fresh.url)
    const members = new Map<Scope, string>()
    for (const scope of scopes) members.set(scope, (await memberOfStaff(studio, { scopes: [scope] })).token)
    for (const name of studioCalls) {
      const { method, route, body } = requestOf(name)
      for (const [scope, key] of members) {
        const reply = await studio.call(method, route, { key, ...body })
        const answer = [401, 403].includes(reply.status) ? reply.body.code : 'let in'
        // Nobody is asked to sign a call that is incomplete.
        const isSigned = isSignedCall(name) && reply.body.code !== 'FIELDS_MISSING'
        const letIn = isSigned ? 'CHALLENGE_NEEDED' : 'let in'
        expect([name, scope, answer]).toEqual([name, scope, needed[name].includes(scope) ? letIn : 'INSUFFICIENT_SCOPE'])
      }
    }
  })

  it('is refused with a session that is over, or of a wallet that is not on the staff', async () => {
    const studio = await startStudio(fresh.url)
    const sessions = await sessionsOfOthers(studio)
    for (const name of studioCalls) {
      const { method, route, body } = requestOf(name)
      for (const { key, status, code } of sessions) {
        expect([name, await studio.call(method, route, { key, ...body })]).toMatchObject([name, { status, body: { code } }])
      }
    }
  })

  it('is refused in the same words if the key is revoked, has expired or does not exist', async () => {
    const { call, createKey } = await startStudio(fresh.url)
    const pool = new pg.Pool({ connectionString: fresh.url, max: 1 })
    onTestFinished(() => pool.end())
    const [revoked, expired] = [await createKey({ scopes }), await createKey({ scopes, expiresAt: '2099-01-01T00:00:00Z' })]
    await call('DELETE', `/keys/${revoked.id}`)
    await pool.query('update studio_keys set expires_at = now() where id = $1', [expired.id])
    const keys = { KEY_REVOKED: revoked.secret, KEY_EXPIRED: expired.secret, STUDIO_KEY_INVALID: `jb_${'x'.repeat(43)}` }
    for (const name of studioCalls) {
      const { method, route, body } = requestOf(name)
      for (const [code, key] of Object.entries(keys)) {
        expect([name, await call(method, route, { key, ...body })]).toMatchObject([name, { status: 401, body: { code } }])
      }
    }
  })

  it('says which scope is missing', async () => {
    const { call, createKey } = await startStudio(fresh.url)
    const { secret: key } = await createKey({ scopes: ['read'] })
    expect(await call('POST', '/orders', { key, body: {} })).toEqual({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', error: 'You may not do this: it needs the scope credit or debit.' },
    })
  })
})
