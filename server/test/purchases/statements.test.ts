import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { bearerToken } from '../../src/http/credentials.ts'
import { createNetworkHash } from '../../src/purchases/pay-link/pay-link.ts'
import { purchaseRoutes } from '../../src/purchases/routes.ts'
import { readSession } from '../../src/sign-in/verify-signature.ts'
import { createSessionJwts } from '../../src/sign-in/session-jwt.ts'
import { serve } from '../http/test-server.ts'
import { useTradingWorld } from './trading-world.ts'

const world = useTradingWorld()

/** Counts all that reaches the database during a call: the session's check, `begin` and `commit` included. */
async function countStatements<T>(call: () => Promise<T>): Promise<{ result: T; statements: number }> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    return { result: await call(), statements: query.mock.calls.length }
  } finally {
    query.mockRestore()
  }
}

it('buying takes six statements, the transaction’s own two included, and confirming three, whoever has settled the purchase', async () => {
  const jwts = createSessionJwts('s'.repeat(32))
  const session = { id: randomUUID(), player: world.buyer.address }
  const tomorrow = new Date(Date.now() + 86_400_000)
  await world.database.insertInto('sessions').values({ id: session.id, walletAddress: world.buyer.address, expiresAt: tomorrow }).execute()
  const server = await serve(
    (api) => purchaseRoutes(api, world.deps, createNetworkHash('s'.repeat(32))),
    {},
    { authenticate: (request) => readSession(world.database, jwts, bearerToken(request)) },
  )
  const post = (url: string, payload: object) =>
    countStatements(() =>
      server.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${jwts.sign(session, tomorrow)}` } }),
    )

  const listingId = await world.list()
  const bought = await post(`/api/marketplace/buy/${listingId}`, {})
  expect({ status: bought.result.statusCode, statements: bought.statements }).toEqual({ status: 200, statements: 6 })
  const again = await post(`/api/marketplace/buy/${listingId}`, {})
  expect(again.result.json()).toMatchObject({ transactionDetails: { reference: bought.result.json().transactionDetails.reference } })
  expect(again.statements).toBe(7)

  const payment = await world.payByWallet(world.buyer, bought.result.json().transactionDetails)
  const confirmed = await post('/api/marketplace/confirm-purchase', { listingId, transactionSignature: payment })
  expect({ status: confirmed.result.statusCode, statements: confirmed.statements }).toEqual({ status: 200, statements: 3 })
  const repeated = await post('/api/marketplace/confirm-purchase', { listingId, transactionSignature: payment })
  expect(repeated).toMatchObject({ statements: 2 })
  expect(repeated.result.json()).toEqual(confirmed.result.json())
})
