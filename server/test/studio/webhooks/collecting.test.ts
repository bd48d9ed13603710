import fc from 'fast-check'
import type pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { collectMessages } from '../../../src/studio/webhooks/run-webhooks.ts'
import { openWebhookWorld, type WebhookWorld } from './webhook-world.ts'

let world: WebhookWorld

beforeEach(async () => void (world = await openWebhookWorld()))

const countNoted = async () => (await world.pool.query<{ count: number }>('select count(*)::integer from webhook_outbox')).rows[0]?.count

describe('what happens', () => {
  it('is noted only if a webhook wants to know it', async () => {
    const listing = await world.list()
    expect(await countNoted()).toBe(0)
    await world.addWebhook('http://localhost/', ['listing.removed'])
    await world.list()
    expect(await countNoted()).toBe(0)
    await world.remove(listing)
    expect(await countNoted()).toBe(1)
  })

  it('is not noted if its transaction is rolled back', async () => {
    await world.addWebhook('http://localhost/')
    await expect(
      world.database.transaction().execute(async (tx) => {
        await tx
          .insertInto('listings')
          .values({ seller: world.seller, tokenType: 'APPLE_JUICE', amount: 1n, priceLamports: 1_000_000n as never })
          .execute()
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await countNoted()).toBe(0)
  })
})

/** One of several connections begins, notes its next event, or commits; or a server collects. */
type Step = { connection: number; does: 'note' | 'commit' } | 'collect'

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ connection: fc.nat(2), does: fc.constantFrom('note' as const, 'commit' as const) }),
  fc.constant('collect' as const),
)

describe('messages', () => {
  it('each have one place, after everything that had committed before, however late others commit', async () => {
    await world.addWebhook('http://localhost/', ['listing.created'])
    const clients = await Promise.all([0, 1, 2].map(() => world.pool.pg.connect()))
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 3 }), async (steps, batch) => {
          await world.pool.query('truncate webhook_messages, webhook_outbox')
          await expectInOrder(clients, steps, batch)
        }),
        { numRuns: 60 },
      )
    } finally {
      for (const client of clients) client.release()
    }
  })
})

async function expectInOrder(clients: readonly pg.PoolClient[], steps: readonly Step[], batch: number): Promise<void> {
  const open = clients.map((): number[] => [])
  const committed: number[] = []
  /** For each event, those that had committed before it was noted. */
  const before = new Map<number, number[]>()
  let seen: number[] = []
  const readOrder = async () => {
    const { rows } = await world.pool.query<{ n: number }>(
      `select (body::json -> 'data' ->> 'n')::integer as n from webhook_messages order by ordinal`,
    )
    return rows.map(({ n }) => n)
  }
  const commit = async (connection: number) => {
    if (open[connection]!.length === 0) return
    await clients[connection]!.query('commit')
    committed.push(...open[connection]!.splice(0))
  }
  for (const each of [...steps, ...clients.map((_, connection) => ({ connection, does: 'commit' as const })), 'collect' as const]) {
    if (each === 'collect') {
      while (
        (await collectMessages({ database: world.database, catalogue: defaultCatalogue, publicOrigin: 'http://localhost' }, batch)) > 0
      );
      const order = await readOrder()
      expect(order.slice(0, seen.length)).toEqual(seen)
      expect(order.toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b))
      seen = order
    } else if (each.does === 'commit') await commit(each.connection)
    else {
      const client = clients[each.connection]!
      if (open[each.connection]!.length === 0) await client.query('begin')
      const n = before.size
      before.set(n, [...committed])
      open[each.connection]!.push(n)
      await client.query(`select note_for_webhooks('listing.created', gen_random_uuid(), json_build_object('n', $1::integer))`, [n])
    }
  }
  for (const [n, earlier] of before) for (const other of earlier) expect(seen.indexOf(other)).toBeLessThan(seen.indexOf(n))
}
