import { type AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished } from 'vitest'

import { Ledger } from '../../chaos/fast-chain/ledger.ts'
import { serveLedger } from '../../chaos/fast-chain/serve-ledger.ts'
import { createChainClient } from '../../chaos/players/chain-client.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { openApp, studioApiKey } from '../support/start-app.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { checkHistory } from './check-history.ts'
import { type PlantedBug, plantedBugs, plantInSql } from './planted-bugs.ts'
import { type Market, recordHistory } from './record-history.ts'

/**
 * Histories of two servers with one database on the fast chain of the chaos tool, checked by a program that knows nothing but what a market
 * promises. `HISTORIES=1000 npx vitest run histories` records so many; `PROPERTY_SEED=7` begins with that one.
 */

const { HISTORIES = '20', PROPERTY_SEED = String(Date.now() % 1_000_000) } = process.env
const FIRST_SEED = Number(PROPERTY_SEED)
const FIRST_SLOT = 100_000
/** Below 20 ms, servers take slots for lies. */
const SLOT_MILLIS = 25
const AT_ONCE = 4
/** A planted bug is found within so many. */
const MOST_TO_FIND = 40

/** A chain that begins with the test and ends with it. @returns its URL */
async function startChain(): Promise<string> {
  const ledger = new Ledger(FIRST_SLOT)
  const server = await serveLedger(ledger, 0)
  const clock = setInterval(() => ledger.nextSlot(), SLOT_MILLIS)
  onTestFinished(() => {
    clearInterval(clock)
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A new market of two servers, perhaps with a bug. It is closed with the test. */
async function openMarket({ sql, chain: wrong }: Partial<PlantedBug> = {}): Promise<Market> {
  const [database, rpcUrl] = await Promise.all([freshDatabase(), startChain()])
  if (sql) await plantInSql(database.url, sql)
  const chain = createChain({ endpoints: [rpcUrl], log: collectLog().log })
  Object.assign(chain, wrong?.(chain))
  await chain.start()
  const servers = [await openApp(database.url, { chain }), await openApp(database.url, { chain })]
  for (const { started } of servers) await started
  onTestFinished(async () => {
    for (const server of servers) await server.stop()
    await chain.stop()
    await database.drop()
  })
  return { urls: servers.map(({ origin }) => origin), studioApiKey, chain: createChainClient(rpcUrl) }
}

/** Records so many, and stops when one contradicts the specification so. @returns what contradicted it in that one, with the seed, and how much was sold */
async function findViolations(market: Market, count: number, as = /.*/): Promise<{ violations: string[]; sold: number }> {
  let sold = 0
  const check = async (seed: number) => {
    const history = await recordHistory(market, seed)
    sold += [...history.end.purchases.values()].filter(({ status }) => status === 'settled').length
    return checkHistory(history).map((violation) => `${seed}: ${violation}`)
  }
  for (let first = FIRST_SEED; first < FIRST_SEED + count; first += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, FIRST_SEED + count - first) }, (_, index) => first + index)
    const violations = (await Promise.all(seeds.map(check))).flat()
    if (violations.some((violation) => as.test(violation))) return { violations, sold }
  }
  return { violations: [], sold }
}

it(`keep what the market promises, ${HISTORIES} of them`, { timeout: 3_600_000 }, async () => {
  const { violations, sold } = await findViolations(await openMarket(), Number(HISTORIES))
  expect(violations).toEqual([])
  expect(sold).toBeGreaterThan(Number(HISTORIES))
})

describe('a bug is found', () => {
  it.each(plantedBugs)('$name', { timeout: 300_000 }, async ({ finds, ...bug }) => {
    const { violations } = await findViolations(await openMarket(bug), MOST_TO_FIND, finds)
    expect(violations).not.toEqual([])
  })
})
