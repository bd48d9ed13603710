import { spawnSync } from 'node:child_process'

import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { checkAgainstDocument } from '../http/documented.ts'
import { addPlayer, newSignature, offer, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { followSales, settledPurchase } from '../studio/sales/sale-market.ts'
import { startStudio, type StudioClient } from '../studio/studio-client.ts'
import { studioApiKey } from '../support/start-app.ts'
import { readText } from './repository.ts'

let market: StoreMarket

beforeAll(async () => void (market = await openStoreMarket()))
afterAll(() => market.close())

interface GuideCall {
  method: string
  path: string
  body: string
}

/** The calls of the guide's examples, as a shell makes them of variables with these values. */
function callsOf(guide: string, variables: Record<string, string>): GuideCall[] {
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
  const examples = blocks.filter((block) => !block.includes('npm run')).join('\n')
  const script = examples.replaceAll(/^(?:[A-Z]+=|api\(\)).*$/gm, '')
  const printed = spawnSync('sh', ['-eu'], {
    input: `api() { printf '%s\\0%s\\0%s\\0' "$1" "$2" "\${3-}"; }\n${script}`,
    env: { PATH: process.env['PATH'], ...variables },
    encoding: 'utf8',
  })
  expect(printed.stderr).toBe('')
  const words = printed.stdout.split('\0').slice(0, -1)
  return Array.from({ length: words.length / 3 }, (_, index) => {
    const [method = '', path = '', body = ''] = words.slice(index * 3)
    return { method, path, body }
  })
}

const checkoutWish = { tokenType: 'APPLE_JUICE', amount: 1, returnUrl: 'https://game.example/', idempotencyKey: 'order 1' }

/** A player who has sold something, with a case, a checkout, a key, a webhook with a message, a recovery and an audit. Returns what the guide calls them. */
async function openVariables({ call, createKey }: StudioClient): Promise<Record<string, string>> {
  const [wallet, buyer, signature] = [await addPlayer(market), await addPlayer(market), newSignature()]
  const { webhook } = (await call('POST', '/webhooks', { body: { url: 'https://game.example/', events: ['sale.settled'] } })).body
  const purchaseId = await settledPurchase(market, buyer, [{ listingId: await offer(market, wallet) }], { signature })
  const { pool } = market.connection
  const { rows: cases } = await pool.query<{ id: string }>(
    `insert into cases (purchase_id, kind, signature, seller, lamports, deliverable) values ($1, 'double', $2, $3, 5, false) returning id`,
    [purchaseId, newSignature(), wallet],
  )
  const message = async () => (await pool.query<{ id: string }>('select id from webhook_messages')).rows[0]?.id
  await expect.poll(message).toBeDefined()
  return {
    WALLET: wallet,
    COLLEAGUE: await addPlayer(market),
    QUESTS: (await createKey({ scopes: ['credit'] })).id,
    NEXT: (await followSales(market)).next,
    HOOK: webhook.id,
    MESSAGE: (await message()) ?? '',
    SIGNATURE: signature,
    PURCHASE: purchaseId,
    CASE: cases[0]?.id ?? '',
    CHECKOUT: (await call('POST', '/checkouts', { body: checkoutWish })).body.checkout.id,
    RECOVERY: (await call('POST', '/recoveries', { body: {} })).body.recovery.id,
    AUDIT: (await call('POST', '/audits', { body: {} })).body.audit.id,
  }
}

/** The name of the contract's call. */
function nameOf({ method, path }: GuideCall): string | undefined {
  const [bare = ''] = path.split('?')
  const patternOf = (endpoint: string) => new RegExp(`^${endpoint.replace('/api/studio/', '').replaceAll(/:\w+/g, '[^/]+')}$`)
  return Object.entries(studioEndpoints).find(([, endpoint]) => patternOf(endpoint).test(`${method} ${bare}`))?.[0]
}

/** No endpoint has shown that nobody can ever tell whether the purchase was paid; the recovery is not done; and a key signs nothing. */
const refusals: Record<string, string | undefined> = {
  release: 'NOT_RELEASABLE',
  accept: 'RECOVERY_NOT_ACCEPTABLE',
  challenges: 'SIGNATURE_NOT_NEEDED',
}

it('docs/studio.md shows every call of the studio, and each does what it says', async () => {
  const studio = await startStudio(market.databaseUrl, { settings: { CHECKOUT_ORIGINS: 'https://game.example' } })
  const problemsOf = await checkAgainstDocument(studio.origin)
  const calls = callsOf(await readText('docs/studio.md'), await openVariables(studio))
  expect(new Set(calls.map(nameOf))).toEqual(new Set(Object.keys(studioEndpoints)))
  // Without a chain, `GET audit` waits for one for 45 s.
  for (const { method, path, body } of calls.filter((call) => call.path !== 'audit')) {
    const headers = { authorization: `Bearer ${studioApiKey}`, ...(body !== '' && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${studio.origin}/api/studio/${path}`, { method, headers, ...(body !== '' && { body }) })
    const text = await reply.text()
    const code = refusals[path.split('/').at(-1) ?? '']
    const expected = { ok: code === undefined, code }
    expect([method, path, { ok: reply.ok, code: JSON.parse(text).code }]).toEqual([method, path, expected])
    expect(problemsOf(method, `/api/studio/${path}`, { status: reply.status, headers: reply.headers, text })).toEqual([])
  }
})
