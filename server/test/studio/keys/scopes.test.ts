import { type Scope, scopes } from '@juicebar/contract/scopes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { freshDatabase, type FreshDatabase } from '../../support/fresh-database.ts'
import { studioApiKey } from '../../support/start-app.ts'
import { startStudio } from '../studio-client.ts'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))

afterAll(() => fresh.drop())

interface Operation {
  name: string
  method: string
  path: string
}

/** What a call needs: one of these. The rule for all calls, in the words of the contract. */
function scopesOf({ name, method, path }: Operation): Scope[] {
  const subject = path.split('/')[1] ?? ''
  if (['keys', 'webhooks', 'log', 'staff'].includes(subject)) return ['admin']
  if (['audit', 'audits'].includes(subject) || method === 'GET') return ['read']
  if (subject === 'credits') return ['credit']
  if (subject === 'debits') return ['debit']
  if (subject === 'orders') return ['credit', 'debit']
  if (['cases', 'purchases'].includes(subject)) return ['cases']
  if (['pause', 'blocks', 'rules'].includes(subject)) return ['rules']
  throw new Error(`nothing says which scope ${name} needs`)
}

async function studioOperations(origin: string): Promise<Operation[]> {
  const document: ReturnType<typeof JSON.parse> = await (await fetch(`${origin}/api/openapi.json`)).json()
  return Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries<ReturnType<typeof JSON.parse>>(methods)
      .filter(([, operation]) => operation.security?.some((one: object) => 'studioKey' in one))
      .map(([method, { operationId }]) => ({
        name: operationId,
        method: method.toUpperCase(),
        path: path.replace('/api/studio', '').replaceAll(/\{\w+\}/g, '01a1f7e3-d2be-70a3-b634-7c62066aaf1d'),
      })),
  )
}

describe('a studio key', () => {
  it('is let into exactly the calls of its scopes, and the root key into all', { timeout: 60_000 }, async () => {
    const { origin, call, createKey } = await startStudio(fresh.url)
    const operations = await studioOperations(origin)
    expect(operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['studioCredit', 'studioOrders', 'createStudioKey', 'closeCase']),
    )
    const secrets = new Map<Scope, string>()
    for (const scope of scopes) secrets.set(scope, (await createKey({ name: scope, scopes: [scope] })).secret)

    for (const operation of operations) {
      const { method, path, name } = operation
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
      for (const [scope, key] of secrets) {
        const { status, body: reply } = await call(method, path, { key, ...body })
        const answer = status === 403 ? `403 ${reply.code}` : 'let in'
        expect([name, scope, answer]).toEqual([name, scope, scopesOf(operation).includes(scope) ? 'let in' : '403 INSUFFICIENT_SCOPE'])
        expect([name, scope, status]).not.toEqual([name, scope, 401])
      }
      expect([401, 403]).not.toContain((await call(method, path, { key: studioApiKey, ...body })).status)
      expect((await call(method, path, { key: 'nothing', ...body })).status).toBe(401)
    }
  })

  it('says which scope is missing', async () => {
    const { call, createKey } = await startStudio(fresh.url)
    const { secret: key } = await createKey({ scopes: ['read'] })
    expect(await call('POST', '/orders', { key, body: {} })).toEqual({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', error: 'This studio key may not do this: it needs the scope credit or debit.' },
    })
  })
})
