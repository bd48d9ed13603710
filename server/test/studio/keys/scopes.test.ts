import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type Scope, scopes } from '@juicebar/contract/scopes'
import { describe, expect, it } from 'vitest'

import { studioApiKey } from '../../support/start-app.ts'
import { memberOfStaff } from '../staff/desk-client.ts'
import { useStudio } from '../studio-client.ts'

const studio = useStudio()
const { call, createKey } = studio

type StudioCall = keyof typeof studioEndpoints

/** The calls of the keys that have one of these scopes. */
const callsByScope: [oneOf: readonly Scope[], calls: string][] = [
  [['credit'], 'studioCredit'],
  [['debit'], 'studioDebit'],
  [['credit', 'debit'], 'studioOrders'],
  [['admin'], 'createStudioKey studioKeys revokeStudioKey studioStaff readStaff setStaff removeStaff studioLog startRecovery'],
  [['admin'], 'acceptRecovery createWebhook webhooks changeWebhook deleteWebhook rotateWebhook webhookDeliveries replayWebhook'],
  [scopes, 'studioMe requestChallenge'],
  [['read'], 'studioCases studioSales studioPlayer studioPurchases studioPurchase studioStats audit startAudit audits readAudit'],
  [['read'], 'readRecovery readPause studioBlocks readBlock readRules'],
  [['checkout'], 'createCheckout expireCheckout'],
  [['checkout', 'read'], 'studioCheckouts studioCheckout checkoutAttempts'],
  [['cases'], 'closeCase releasePurchase'],
  [['rules'], 'pauseMarket resumeMarket blockWallet unblockWallet setRules'],
]
const needed = new Map(callsByScope.flatMap(([oneOf, calls]) => calls.split(' ').map((name) => [name, oneOf])))
const studioCalls = Object.keys(studioEndpoints) as StudioCall[]

/** The calls that a server documents as the studio's. */
async function documentedCalls(): Promise<string[]> {
  const document: ReturnType<typeof JSON.parse> = await (await fetch(`${studio.origin}/api/openapi.json`)).json()
  return Object.values<object>(document.paths)
    .flatMap((methods) => Object.values<ReturnType<typeof JSON.parse>>(methods))
    .filter(({ security }) => security?.some((one: object) => 'studioKey' in one))
    .map(({ operationId }) => operationId)
}

/** A session of a wallet that is no longer on the staff, of one that never was, one that was signed out, one that was altered. */
async function sessionsOfOthers() {
  const former = await memberOfStaff(studio, { scopes })
  await call('DELETE', `/staff/${former.wallet.address}`)
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

/** Makes one of the calls with nothing that it would accept. */
function callWithNothing(name: StudioCall, key: string) {
  const [method = '', path = ''] = studioEndpoints[name].split(' ')
  const route = path.replace('/api/studio', '').replaceAll(/:\w+/g, '01a1f7e3-d2be-70a3-b634-7c62066aaf1d')
  return call(method, route, { key, ...(method !== 'GET' && method !== 'DELETE' && { body: {} }) })
}

describe('every call by every key', () => {
  it('is in this table', async () => {
    expect([...needed.keys()].toSorted()).toEqual(studioCalls.toSorted())
    expect((await documentedCalls()).toSorted()).toEqual(studioCalls.toSorted())
  })

  it('is let in if the key has its scope, and always with the root key', { timeout: 60_000 }, async () => {
    const secrets = new Map<Scope, string>()
    for (const scope of scopes) secrets.set(scope, (await createKey({ name: scope, scopes: [scope] })).secret)
    for (const name of studioCalls) {
      for (const [scope, key] of secrets) {
        const reply = await callWithNothing(name, key)
        const answer = [401, 403].includes(reply.status) ? reply.body.code : 'let in'
        expect([name, scope, answer]).toEqual([name, scope, needed.get(name)?.includes(scope) ? 'let in' : 'INSUFFICIENT_SCOPE'])
      }
      expect([401, 403]).not.toContain((await callWithNothing(name, studioApiKey)).status)
    }
  })

  it('is let in with a session of the staff with its scope, and then needs a signature or not', { timeout: 60_000 }, async () => {
    const members = new Map<Scope, string>()
    for (const scope of scopes) members.set(scope, (await memberOfStaff(studio, { scopes: [scope] })).token)
    for (const name of studioCalls) {
      for (const [scope, key] of members) {
        const reply = await callWithNothing(name, key)
        const answer = [401, 403].includes(reply.status) ? reply.body.code : 'let in'
        // Nobody is asked to sign a call that is incomplete.
        const isSigned = isSignedCall(name) && reply.body.code !== 'FIELDS_MISSING'
        const letIn = isSigned ? 'CHALLENGE_NEEDED' : 'let in'
        expect([name, scope, answer]).toEqual([name, scope, needed.get(name)?.includes(scope) ? letIn : 'INSUFFICIENT_SCOPE'])
      }
    }
  })

  it('is refused with a session that is over, or of a wallet that is not on the staff', async () => {
    const sessions = await sessionsOfOthers()
    for (const name of studioCalls) {
      for (const { key, status, code } of sessions) {
        expect([name, await callWithNothing(name, key)]).toMatchObject([name, { status, body: { code } }])
      }
    }
  })

  it('is refused in the same words if the key is revoked, has expired or does not exist', async () => {
    const [revoked, expired] = [await createKey({ scopes }), await createKey({ scopes, expiresAt: '2099-01-01T00:00:00Z' })]
    await call('DELETE', `/keys/${revoked.id}`)
    await studio.pool.query('update studio_keys set expires_at = now() where id = $1', [expired.id])
    const keys = { KEY_REVOKED: revoked.secret, KEY_EXPIRED: expired.secret, STUDIO_KEY_INVALID: `jb_${'x'.repeat(43)}` }
    for (const name of studioCalls) {
      for (const [code, key] of Object.entries(keys)) {
        expect([name, await callWithNothing(name, key)]).toMatchObject([name, { status: 401, body: { code } }])
      }
    }
  })

  it('says which scope is missing', async () => {
    const { secret: key } = await createKey({ scopes: ['read'] })
    expect(await call('POST', '/orders', { key, body: {} })).toEqual({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', error: 'You may not do this: it needs the scope credit or debit.' },
    })
  })
})
