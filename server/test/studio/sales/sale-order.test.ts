import { type Sale } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { connectDatabase, type DatabaseConnection } from '../../../src/database/connect.ts'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import { newSignature, offer } from '../../purchases/baskets/store-market.ts'
import { followSales, heldPurchase, useSaleMarket } from './sale-market.ts'

const AT_ONCE = 12
const READERS = 3
const numRuns = inject('propertyRuns')

const market = useSaleMarket({ buyers: AT_ONCE, tokens: 1_000_000 })
let servers: DatabaseConnection[]
let clients: pg.Client[]

beforeAll(async () => {
  servers = Array.from({ length: READERS }, () => connectDatabase(market.databaseUrl, () => undefined))
  clients = Array.from({ length: AT_ONCE }, () => new pg.Client({ connectionString: market.databaseUrl }))
  await Promise.all(clients.map((client) => client.connect()))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await Promise.all(servers.map((server) => server.close()))
})

/** Has so many buyers each hold something. */
const holdForEach = (count: number) =>
  Promise.all(
    market.buyers
      .slice(0, count)
      .map(async (buyer) => heldPurchase(market, buyer, [{ listingId: await offer(market, market.seller, { amount: 1 }) }])),
  )

/** A game that follows the sales on one of the servers. */
class Game {
  readonly seen: Sale[] = []
  readonly #server: DatabaseConnection
  #next: string | undefined

  constructor(server: DatabaseConnection, next: string | undefined) {
    this.#server = server
    this.#next = next
  }

  async read(limit: number): Promise<void> {
    const page = await readSales(this.#server.database, { limit, ...(this.#next !== undefined && { after: this.#next }) })
    this.seen.push(...page.sales)
    this.#next = page.next
  }
}

/** What happens, by the number of the transaction or of the game. */
type Step = { kind: 'settle' | 'commit'; which: number } | { kind: 'read'; which: number; limit: number }

const read = fc.record({ kind: fc.constant('read' as const), which: fc.nat(READERS - 1), limit: fc.integer({ min: 1, max: 4 }) })
const reads = fc.array(read, { maxLength: 2 })
const shuffled = fc.shuffledSubarray([...Array(AT_ONCE).keys()], { minLength: AT_ONCE, maxLength: AT_ONCE })

/** Every transaction settles before it commits, both in any order, with reads in between. */
const histories: fc.Arbitrary<Step[][]> = fc
  .tuple(shuffled, shuffled, fc.array(reads, { minLength: 2 * AT_ONCE, maxLength: 2 * AT_ONCE }), fc.integer({ min: 1, max: AT_ONCE }))
  .map(([begun, committed, between, ahead]) => {
    const steps: Step[] = []
    const open = new Set<number>()
    const waiting = [...committed]
    const commitReady = (): boolean => {
      const at = waiting.findIndex((which) => open.has(which))
      if (at === -1) return false
      const [which] = waiting.splice(at, 1)
      open.delete(which!)
      steps.push({ kind: 'commit', which: which! })
      return true
    }
    for (const which of begun) {
      steps.push({ kind: 'settle', which })
      open.add(which)
      if (open.size >= ahead) commitReady()
    }
    while (commitReady());
    // The reads beside a step run at the same time as it.
    return steps.map((step, index) => [step, ...(between[index] ?? [])])
  })

it(
  'whatever commits when, every game on every server sees every sale once, and all in the same order',
  { timeout: numRuns * 20_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const purchases = await holdForEach(AT_ONCE)
        const start = (await followSales(market)).next
        const games = servers.map((server) => new Game(server, start))
        const perform = async (step: Step): Promise<unknown> => {
          if (step.kind === 'read') return games[step.which]!.read(step.limit)
          const client = clients[step.which]!
          if (step.kind === 'commit') return client.query('commit')
          await client.query('begin')
          return client.query(`select settle_purchase($1, $2, 2, '', 9, true)`, [purchases[step.which], newSignature()])
        }
        for (const atOnce of history) {
          // A game reads one page after the other.
          const byGame = new Map<string, Step[]>()
          for (const step of atOnce) {
            const game = `${step.kind === 'read'}${step.which}`
            byGame.set(game, [...(byGame.get(game) ?? []), step])
          }
          await Promise.all(
            [...byGame.values()].map(async (steps) => {
              for (const step of steps) await perform(step)
            }),
          )
        }
        const { sales } = await followSales(market, start)
        expect(sales.map(({ purchaseId }) => purchaseId).toSorted()).toEqual(purchases.toSorted())
        for (const game of games) {
          for (let n = 0; n < AT_ONCE; n++) await game.read(4)
          expect(game.seen).toEqual(sales)
        }
      }),
      { numRuns, endOnFailure: true },
    )
  },
)

it('settling waits for nobody who puts sales in order, nor they for it', async () => {
  const [first, second] = clients
  const [early, late] = await holdForEach(2)
  await first!.query('begin')
  await first!.query(`select settle_purchase($1, $2, 2, '', 9, true)`, [early, newSignature()])
  await second!.query('begin')
  await second!.query('select from sales_head for update')
  // The head is locked, and the first purchase is settled but not committed: the next one settles and commits all the same.
  await market.query(`select settle_purchase($1, $2, 2, '', 9, true)`, [late, newSignature()])
  await second!.query('commit')
  const { sales, next } = await followSales(market)
  expect(sales.at(-1)?.purchaseId).toBe(late)
  await first!.query('commit')
  expect((await followSales(market, next)).sales.map(({ purchaseId }) => purchaseId)).toEqual([early])
})
