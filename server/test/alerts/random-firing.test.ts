import { type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import pg from 'pg'
import { expect, inject, it } from 'vitest'

import { fireAlerts } from '../../src/alerts/alert-store.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { addPlayer, holdInStore, lapseInStore, offer, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { firedEvents, setAlert } from './alert-market.ts'

const PLAYERS = 3
const NOBODY = '00000000-0000-0000-0000-000000000000'
const player = fc.nat({ max: PLAYERS - 1 })
const price = fc.integer({ min: 1, max: 6 })
const amount = fc.integer({ min: 1, max: 3 })

const step = fc.oneof(
  fc.record({ kind: fc.constant('list' as const), player, price, amount }),
  fc.record({ kind: fc.constant('alert' as const), player, price }),
  fc.record({ kind: fc.constant('hold' as const), player }),
  fc.record({ kind: fc.constant('lapse' as const) }),
  fc.record({ kind: fc.constant('killed' as const) }),
  fc.record({ kind: fc.constant('together' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** What one costs at least that a wallet could buy, in lamports, from the listings alone. */
async function cheapestFor({ connection }: StoreMarket, wallet: string): Promise<number> {
  const { rows } = await connection.pool.query<{ price: string; amount: string }>(
    `select price_lamports::text as price, amount::text as amount from listings where status = 'active' and held_by is null and seller <> $1`,
    [wallet],
  )
  return Math.min(Number.POSITIVE_INFINITY, ...rows.map((row) => Math.round(Number(row.price) / Number(row.amount))))
}

/** A server that dies after it has fired alerts, and before it has committed that. */
async function fireAndDie({ databaseUrl }: StoreMarket): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select fire_alerts(100, frozen_sellers())')
  await client.end()
}

/** A market and two servers that fire its alerts. */
async function openRandomMarket() {
  const market = await openStoreMarket()
  const other = connectDatabase(market.databaseUrl, () => undefined)
  const wallets = await Promise.all(Array.from({ length: PLAYERS }, () => addPlayer(market)))
  const walletOf = (n: number) => wallets[n] ?? wallets[0]!
  const held: string[] = []
  const { pool } = market.connection

  const holdCheapest = async (buyer: WalletAddress) => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from listings where status = 'active' and held_by is null and seller <> $1 order by unit_lamports limit 1`,
      [buyer],
    )
    const items = rows.map(({ id: listingId }) => ({ listingId }))
    if (items.length === 0) return
    const outcome = await holdInStore(market, { buyer, items, paysTransfers: true })
    if (outcome.kind === 'held') held.push(outcome.hold.id)
  }
  const carryOut = async (given: Step): Promise<unknown> => {
    switch (given.kind) {
      case 'list':
        return offer(market, walletOf(given.player), { amount: given.amount, price: BigInt(given.price) * 1_000_000n })
      case 'alert':
        return setAlert(market, walletOf(given.player), given.price)
      case 'hold':
        return holdCheapest(walletOf(given.player))
      case 'lapse':
        return lapseInStore(market, held.pop() ?? NOBODY)
      case 'killed':
        return fireAndDie(market)
      case 'together':
        return Promise.all([fireAlerts(market.database, 100), fireAlerts(other.database, 100), fireAlerts(market.database, 1)])
    }
  }
  const readAlerts = 'select id, wallet_address as wallet, below_lamports::text as below, fired_lamports::text as fired from alerts'
  const alerts = async () => (await pool.query<{ id: string; wallet: string; below: string; fired: string | null }>(readAlerts)).rows
  const close = async () => {
    await other.close()
    await market.close()
  }
  return { market, carryOut, alerts, close }
}

it('every alert whose price is on the market fires, exactly once and for nothing else, whichever servers look and die', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
    const { market, carryOut, alerts, close } = await openRandomMarket()
    try {
      for (const given of steps) await carryOut(given)
      const before = new Set((await firedEvents(market)).map(({ alert }) => alert.id))
      await carryOut({ kind: 'together' })
      await fireAlerts(market.database, 100)
      const events = await firedEvents(market)
      for (const { id, wallet, below, fired } of await alerts()) {
        expect(events.filter(({ alert }) => alert.id === id).map(({ audience }) => audience)).toEqual(fired === null ? [] : [[wallet]])
        const cheapest = await cheapestFor(market, wallet)
        if (fired === null) expect(cheapest).toBeGreaterThan(Number(below))
        else expect(Number(fired)).toBeLessThanOrEqual(Number(below))
        if (fired !== null && !before.has(id)) expect(Number(fired)).toBe(cheapest)
      }
    } finally {
      await close()
    }
  })
  await fc.assert(property, { numRuns: inject('propertyRuns') })
})
