import { randomBytes } from 'node:crypto'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_PAY_LINKS } from '@juicebar/contract/limits'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makePayLink, preparePayment } from '../../../src/purchases/pay-link/make-pay-link.ts'
import { type PayLinkMaker } from '../../../src/purchases/pay-link/pay-link.ts'
import { deleteOldPayLinks } from '../../../src/purchases/pay-link/pay-link-store.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'

const world = useTradingWorld()

describe('holds through links count against whoever made the link', () => {
  it('who may have three open, whichever wallets are named', async () => {
    const maker = newMaker()
    for (let count = 0; count < 3; count++) await scan(await world.createWallet(), maker, await world.list())
    await expect(scan(world.buyer, maker, await world.list())).rejects.toMatchObject({ code: 'PAY_LINK_LIMIT', retryAfter: 60 })
    await expect(scan(world.buyer, newMaker(), await world.list())).resolves.toBeDefined()
  })

  it('who may have three open, also if they are scanned at the same moment', async () => {
    const maker = newMaker()
    const tries = await Promise.all(
      Array.from({ length: 6 }, async () => ({
        wallet: await world.createWallet(),
        token: await makeLink(maker, await world.list()),
      })),
    )
    const outcomes = await Promise.allSettled(tries.map(({ wallet, token }) => prepare(token, wallet)))
    expect(fulfilled(outcomes)).toHaveLength(3)
  })

  it('who may have three open, also if they are scanned at the same moment and one wallet made them in several networks', async () => {
    const tries = await Promise.all(
      Array.from({ length: 6 }, async () => ({
        wallet: await world.createWallet(),
        token: await makeLink({ ...newMaker(), wallet: world.rival.address }, await world.list()),
      })),
    )
    const outcomes = await Promise.allSettled(tries.map(({ wallet, token }) => prepare(token, wallet)))
    expect(fulfilled(outcomes)).toHaveLength(3)
  })

  it('whose own purchases count as well while they are signed in', async () => {
    const maker = { ...newMaker(), wallet: world.buyer.address }
    for (let count = 0; count < 3; count++) await world.holdNew()
    await expect(makeLink(maker, await world.list())).rejects.toEqual(refusal('PAY_LINK_LIMIT'))
  })

  it('who waits for a listing after leaving it unpaid twice, and for all after three', async () => {
    const maker = newMaker()
    const listingId = await world.list()
    for (let count = 0; count < 2; count++) await abandon(await world.createWallet(), maker, listingId)
    await expect(makeLink(maker, listingId)).rejects.toMatchObject({ code: 'COOLDOWN', retryAfter: expect.any(Number) })
    await expect(makeLink(newMaker(), listingId)).resolves.toBeDefined()
    const token = await makeLink(maker, await world.list())
    await abandon(await world.createWallet(), maker, await world.list())
    await expect(prepare(token)).rejects.toEqual(refusal('PAY_LINK_LIMIT'))
    await expect(makeLink(maker, await world.list())).rejects.toEqual(refusal('PAY_LINK_LIMIT'))
  })

  it('unless nobody could pay, because of an outage', async () => {
    const maker = newMaker()
    const listingId = await world.list()
    for (let count = 0; count < 2; count++) await abandon(await world.createWallet(), maker, listingId)
    await expect(makeLink(maker, listingId)).rejects.toEqual(refusal('COOLDOWN'))
    const { pool } = world.connection
    onTestFinished(async () => void (await pool.query('truncate outages')))
    await pool.query(`insert into outages (began_at, ended_at) values (now() - interval '1 hour', now())`)
    await expect(makeLink(maker, listingId)).resolves.toBeDefined()
  })
})

describe('holds through links count against the account that pays', () => {
  it('which may have one open, also if two links are scanned at the same moment', async () => {
    // One that never signed in has no row to lock.
    await world.database.deleteFrom('players').where('walletAddress', '=', world.buyer.address).execute()
    const tokens = await Promise.all([1, 2, 3].map(async () => makeLink(newMaker(), await world.list())))
    const outcomes = await Promise.allSettled(tokens.map((token) => prepare(token)))
    expect(fulfilled(outcomes)).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PAY_LINK_ELSEWHERE' })
    }
  })

  it('whose own holds count', async () => {
    for (let count = 0; count < 3; count++) await world.holdNew()
    await expect(scan(world.buyer, newMaker(), await world.list())).rejects.toEqual(refusal('TOO_MANY_HOLDS'))
  })

  it('which waits for a listing after leaving it unpaid twice, whoever made the links', async () => {
    const listingId = await world.list()
    for (let count = 0; count < 2; count++) await abandon(world.buyer, newMaker(), listingId)
    await expect(scan(world.buyer, newMaker(), listingId)).rejects.toEqual(refusal('COOLDOWN'))
    await expect(scan(await world.createWallet(), newMaker(), listingId)).resolves.toBeDefined()
  })

  it('but cannot be kept by strangers from buying by itself', async () => {
    const listingId = await world.list()
    for (let count = 0; count < 2; count++) await abandon(world.buyer, newMaker(), listingId)
    await abandon(world.buyer, newMaker(), await world.list())
    await expect(world.hold(world.buyer, listingId)).resolves.toBeDefined()
    await expect(world.holdNew()).resolves.toBeDefined()
  })

  it('and against the wallet’s own buying if it made the links', async () => {
    const listingId = await world.list()
    for (let count = 0; count < 2; count++) await abandon(world.buyer, { ...newMaker(), wallet: world.buyer.address }, listingId)
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(refusal('COOLDOWN'))
  })

  it('but never changes a hold that the wallet has placed itself', async () => {
    const listingId = await world.list()
    const token = await makeLink(newMaker(), listingId)
    const own = await world.hold(world.buyer, listingId)
    await expect(prepare(token)).rejects.toEqual(refusal('HELD_BY_YOU'))
    expect(await world.read(own.purchaseId)).toEqual({ ...own, payMillisLeft: expect.any(Number) })
  })
})

it('a wallet that signs in goes on with what its phone has held', async () => {
  const listingId = await world.list()
  await scan(world.buyer, newMaker(), listingId)
  const [held] = await heldBy(world.buyer.address)
  expect(await world.hold(world.buyer, listingId)).toMatchObject({ purchaseId: held?.id })
})

it.each(['network', 'wallet'] as const)('a %s has so many links at the same time, and no more if all are made at once', async (kind) => {
  const one = newMaker()
  const nextMaker = () => (kind === 'network' ? one : { ...newMaker(), wallet: world.buyer.address })
  const listingId = await world.list()
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_PAY_LINKS + 5 }, () => makeLink(nextMaker(), listingId)))
  expect(fulfilled(outcomes)).toHaveLength(MAX_PAY_LINKS)
  await expect(makeLink(nextMaker(), listingId)).rejects.toEqual(refusal('PAY_LINK_LIMIT'))
})

it('a link buys what was shown: no other amount, and for no higher fee', async () => {
  const listingId = await world.list(world.seller, { amount: 10, divisible: true })
  const token = await makeLink(newMaker(), listingId)
  await world.holdItems(world.rival, [{ listingId, amount: 4 }])
  await expect(prepare(token)).rejects.toEqual(refusal('AMOUNT_NOT_LEFT'))
  const whole = await makeLink(newMaker(), await world.list())
  const dearer = { ...world.deps, settings: { ...world.deps.settings, fee: { basisPoints: 100, wallet: world.rival.address } } }
  await expect(preparePayment(dearer, whole, world.buyer.address)).rejects.toEqual(refusal('PRICE_MOVED'))
})

it('what is secret is not in the database, and what is old is deleted', async () => {
  const token = await makeLink(newMaker(), await world.list())
  await prepare(token)
  const { rows } = await world.connection.pool.query<{ text: string }>(
    `select p::text || encode(token_hash, 'escape') || encode(maker, 'escape') as text from pay_links p`,
  )
  expect(rows.map(({ text }) => text).join('')).not.toContain(token)
  await world.database
    .updateTable('payLinks')
    .set({ expiresAt: new Date(0) })
    .execute()
  const held = await world.database.selectFrom('purchases').select('id').where('status', '=', 'held').execute()
  await deleteOldPayLinks(world.database)
  const kept = await world.database.selectFrom('payLinks').select('purchaseId').execute()
  expect(kept.map(({ purchaseId }) => purchaseId)).toContainEqual((await heldBy(world.buyer.address))[0]?.id)
  expect(kept.every(({ purchaseId }) => held.some(({ id }) => id === purchaseId))).toBe(true)
})

it('what was left unpaid is remembered for three days, and what is open for as long as it is', async () => {
  const maker = newMaker()
  const [recent, old, open] = [world.rival, await world.createWallet(), world.buyer]
  for (const wallet of [recent, old]) await abandon(wallet, maker, await world.list())
  await scan(open, maker, await world.list())
  const endedAgo = (wallet: Wallet, hours: number) =>
    world.connection.pool.query(`update purchases set ended_at = now() - make_interval(hours => $2) where buyer = $1`, [
      wallet.address,
      hours,
    ])
  await endedAgo(recent, 71)
  await endedAgo(old, 73)
  await deleteOldPayLinks(world.database)
  const kept = await world.database.selectFrom('payLinkHolds').select('account').where('maker', '=', maker.network).execute()
  expect(kept.map(({ account }) => account).toSorted()).toEqual([recent.address, open.address].toSorted())
})

it('whatever wallets ask of a link at the same time, it has one open hold', async () => {
  const wallets = await Promise.all([1, 2, 3].map(() => world.createWallet()))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2), { minLength: 2, maxLength: 6 }), fc.boolean(), async (scans, divisible) => {
      const listingId = await world.list(world.seller, { amount: 10, divisible })
      // What the part gives back makes the listing more than the link is for: two wallets would find enough of it.
      const part = divisible ? await world.holdItems(await world.createWallet(), [{ listingId, amount: 6 }]) : undefined
      const token = await makeLink(newMaker(), listingId)
      if (part) await endHolds([part.purchaseId])
      await Promise.allSettled(scans.map((index) => prepare(token, wallets[index])))
      const held = (await Promise.all(wallets.map(({ address }) => heldBy(address)))).flat()
      expect(held).toHaveLength(1)
      await endHolds(held.map(({ id }) => id))
      await world.database.deleteFrom('payLinkHolds').execute()
    }),
    { numRuns: 12 },
  )
})

const newMaker = (): PayLinkMaker => ({ network: randomBytes(32), wallet: undefined })

/** Returns the link's secret name. */
async function makeLink(maker: PayLinkMaker, listingId: string): Promise<string> {
  const { url } = await makePayLink(world.deps, 'https://market.example', listingId, maker)
  return decodeURIComponent(url).split('/').at(-1) ?? ''
}

const prepare = (token: string, { address } = world.buyer) => preparePayment(world.deps, token, address)
const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]) => outcomes.filter(({ status }) => status === 'fulfilled')

async function scan(wallet: Wallet, maker: PayLinkMaker, listingId: string) {
  return prepare(await makeLink(maker, listingId), wallet)
}

async function abandon(wallet: Wallet, maker: PayLinkMaker, listingId: string): Promise<void> {
  await scan(wallet, maker, listingId)
  await endHolds((await heldBy(wallet.address)).map(({ id }) => id))
}

/** As reconciliation ends holds that nobody has paid. */
async function endHolds(ids: readonly string[]): Promise<void> {
  for (const id of ids) await sql`select end_hold(p, 'lapsed', null) from purchases p where id = ${id}`.execute(world.database)
}

async function heldBy(wallet: WalletAddress) {
  return world.database.selectFrom('purchases').select('id').where('buyer', '=', wallet).where('status', '=', 'held').execute()
}
