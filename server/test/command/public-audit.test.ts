import { join } from 'node:path'
import { type Signature } from '@juicebar/contract/addresses'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { runPublicAudit } from '../../src/command/audit-public.ts'
import { connectMarket, type PublicMarket } from '../../src/command/public-audit.ts'
import { readConfig } from '../../src/config.ts'
import { newWallet } from '../chain/transactions/transactions.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { useTradingWorld } from '../purchases/trading-world.ts'
import { defaultCatalogue } from '../support/catalogue.ts'
import { migrationsFolder } from '../support/migrations-folder.ts'
import { runCommand } from './run-command.ts'

const studio = await newWallet()
const world = useTradingWorld({ fee: { basisPoints: 250, wallet: studio.address } })
let origin: string
let market: PublicMarket
beforeAll(async () => {
  // What the endpoint does not keep is another test's concern.
  await world.mine(200)
  const { deps, chain, connection } = world
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0, fee: deps.settings.fee },
    jwtSecret: 'j'.repeat(32),
    referenceSecrets: [world.referenceSecret],
    studioApiKey: 's'.repeat(32),
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: false }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  origin = app.fastify.listeningOrigin
  market = connectMarket(origin)
  return () => app.stop()
})

const LATER = 3_600_000
let file: string
beforeEach(async () => {
  vi.restoreAllMocks()
  file = join(await tempFolder(), 'progress.json')
})

/** Audits the market as if an hour had passed since the last payment. */
const audit = (changes: Partial<PublicMarket> = {}, now = () => Date.now() + LATER) =>
  runPublicAudit({ market: { ...market, ...changes }, chain: world.chain, origin, file, now })

async function buy(): Promise<Signature> {
  const items = [{ listingId: await world.list() }, { listingId: await world.list() }]
  const { purchaseId } = await world.buyCoSigned(world.buyer, items)
  await world.untilStatus({ purchaseId }, 'settled')
  await world.mine(120)
  return (await world.read(purchaseId)).signature as Signature
}

describe('a public audit', () => {
  it('finds every co-signed payment in the trades, those of a second time once, and saves its progress', async () => {
    await buy()
    const first = await audit()
    expect(first).toMatchObject({ violations: [], pending: [] })
    expect(first.matched).toBeGreaterThanOrEqual(1)
    await buy()
    const read = vi.spyOn(world.chain, 'transaction')
    expect(await audit()).toMatchObject({ matched: first.matched + 1, violations: [], pending: [], unchecked: [] })
    expect(read.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it('tells of a payment that the market keeps to itself, once a minute has passed, until the market tells of it', async () => {
    const signature = await buy()
    const hiding = { trades: async (since: number) => new Map([...(await market.trades(since))].filter(([each]) => each !== signature)) }
    const landedAt = (await world.chain.transaction(signature))!.landedAt!.getTime()
    const early = await audit(hiding, () => landedAt + 30_000)
    expect(early.violations.filter((text) => text.startsWith(signature))).toEqual([])
    expect(early.pending).toEqual([expect.stringContaining(signature)])
    expect((await audit(hiding, () => landedAt + 61_000)).violations).toEqual([expect.stringContaining(signature)])
    expect(await audit()).toMatchObject({ violations: [], pending: [] })
  })

  it('tells of a trade that the chain does not show so', async () => {
    const signature = await buy()
    const dearer = async (since: number) => {
      const trades = await market.trades(since)
      return new Map([...trades].map(([each, paid]) => [each, each === signature ? { ...paid, lamports: paid.lamports + 1n } : paid]))
    }
    expect((await audit({ trades: dearer })).violations).toEqual([expect.stringContaining(`${signature} moved`)])
    const invented = '5'.repeat(88) as Signature
    const inventing = async (since: number) => new Map([...(await market.trades(since)), [invented, { lamports: 5n, since: Date.now() }]])
    expect((await audit({ trades: inventing })).violations).toEqual([expect.stringContaining(invented)])
  })

  it('accepts what the market has signed without a trade only once it is told as a case', async () => {
    const offer = await world.offer(world.buyer, [{ listingId: await world.list(await world.createWallet()) }])
    const signature = await world.sendByWallet(world.coSign(offer, await world.signOffer(world.buyer, offer)))
    await world.mine(120)
    const silent = { unmatched: async () => ({ signatures: [], next: '0-0' }) }
    expect((await audit(silent)).violations).toEqual([expect.stringContaining(signature)])
    await world.connection.pool.query('update co_signer_histories set due_at = now()')
    await vi.waitFor(async () => expect((await market.unmatched(undefined)).signatures).toContain(signature), {
      timeout: 30_000,
      interval: 200,
    })
    expect(await audit()).toMatchObject({ violations: [], pending: [] })
  }, 60_000)

  it('goes on only with the progress of this market', async () => {
    await audit()
    await expect(runPublicAudit({ market, chain: world.chain, origin: 'http://other', file })).rejects.toThrow('Name another file')
  })
})

it('the command needs only the market and the chain, and goes on where it was', async () => {
  const settings = { SOLANA_RPC_URL: world.rpcUrl }
  const run = () => runCommand('audit', settings, ['--public', `${origin}/`, '--progress', file])
  // The local chain keeps nothing from before its first slot.
  expect(await run()).toMatchObject({ code: 2, complaint: '', output: expect.stringContaining('no endpoint keeps') })
  expect(await run()).toMatchObject({ code: 0, complaint: '', output: expect.stringContaining('tells of every payment that it signed') })
  for (const [typed, said] of [
    [['--public'], 'the address of a market'],
    [['--nothing'], '--nothing'],
  ] as const) {
    expect(await runCommand('audit', settings, [...typed])).toMatchObject({ code: 2, complaint: expect.stringContaining(said) })
  }
}, 60_000)
