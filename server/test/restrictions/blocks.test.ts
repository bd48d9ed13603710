import { lamports } from '@juicebar/contract/money'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { findListing, listOwnListings } from '../../src/listings/listing-store.ts'
import { removeListing } from '../../src/listings/change-listings.ts'
import { blockCursor, parseBlockCursor } from '../../src/restrictions/restriction.ts'
import { checkSignIn, readOwnBlock } from '../../src/restrictions/check-restrictions.ts'
import { readBlocks, recordBlock, recordUnblock } from '../../src/studio/record-restrictions.ts'
import { createWallet } from '../sign-in/wallet.ts'
import { useTradingWorld, type Wallet } from '../purchases/trading-world.ts'

const reason = 'Sells what others paid for elsewhere'
const actor = 'test'
const blocked = expect.objectContaining({ code: 'BLOCKED', message: expect.stringContaining(`${reason}.`) })

const world = useTradingWorld()
/** Of each test: it would find the listings and blocks of those before. */
beforeEach(async () => void (world.seller = await world.createWallet()))
function block({ address: wallet }: Wallet, changes: { until?: Date; removeListings?: boolean } = {}) {
  return recordBlock(world.database, { wallet, reason, until: null, removeListings: false, actor, ...changes })
}

const signIn = ({ address }: Wallet) => checkSignIn(world.database, address)

const unblock = ({ address: wallet }: Wallet) => recordUnblock(world.database, { wallet, actor })
const remove = ({ address }: Wallet, listingId: string) => removeListing(world.database, address, listingId)

async function statusOf(listingId: string): Promise<string | undefined> {
  return (await findListing(world.database, listingId))?.status
}

describe('a blocked wallet', () => {
  it('can neither list nor hold; others can, and buy what it has listed', async () => {
    const [own, others] = [await world.list(world.buyer), await world.list()]
    await block(world.buyer)
    await expect(world.list(world.buyer)).rejects.toEqual(blocked)
    await expect(world.hold(world.buyer, others)).rejects.toEqual(blocked)
    await world.cancel(world.seller, await world.hold(world.seller, own))
    await remove(world.buyer, own)
  })

  it('hears the same wherever it buys or sells', async () => {
    const [own, others] = [await world.list(world.buyer), [{ listingId: await world.list(), amount: undefined }]]
    await block(world.buyer)
    const message = `This wallet is blocked: ${reason}. You cannot buy or sell now, but you can still finish what you have begun.`
    await expect(world.offer(world.buyer, others)).rejects.toMatchObject({ message })
    await expect(world.list(world.buyer)).rejects.toMatchObject({ message })
    await remove(world.buyer, own)
  })

  it('pays for what it holds, and gets it', async () => {
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    await block(world.buyer)
    await world.submit(world.buyer, purchase, payment)
    await world.untilStatus(purchase, 'settled')
    expect(await world.appleJuice(world.buyer)).toBe(1_010)
  })

  it('is free again when the block ends, by itself or by a call', async () => {
    await block(world.buyer, { until: new Date(Date.now() + 3_600_000) })
    await expect(world.list(world.buyer)).rejects.toMatchObject({ message: expect.stringMatching(/Until \d{4}-\d\d-\d\d \d\d:\d\d UTC\./) })
    const end = `update blocks set until = now() - interval '1 second' where wallet_address = $1`
    await world.connection.pool.query(end, [world.buyer.address])
    await world.list(world.buyer)
    expect(await readOwnBlock(world.database, world.buyer.address)).toBeUndefined()
    await block(world.buyer)
    expect(await readOwnBlock(world.database, world.buyer.address)).toEqual({ reason, until: null })
    await unblock(world.buyer)
    await world.list(world.buyer)
  })

  it('cannot be blocked until a time that has passed', async () => {
    const refused = { code: 'BAD_REQUEST', message: 'until must be in the future.' }
    await expect(block(world.buyer, { until: new Date(0) })).rejects.toMatchObject(refused)
    await expect(world.list(world.buyer)).resolves.toBeDefined()
  })

  it('signs in only while it has a listing, an open purchase or an open case', async () => {
    await block(world.buyer)
    await expect(signIn(world.buyer)).rejects.toEqual(blocked)
    await unblock(world.buyer)

    const own = await world.list(world.buyer)
    await block(world.buyer)
    await signIn(world.buyer)
    await remove(world.buyer, own)
    await expect(signIn(world.buyer)).rejects.toEqual(blocked)
    await unblock(world.buyer)

    const both = [world.buyer, world.seller]
    const expectRefused = () => Promise.all(both.map((wallet) => expect(signIn(wallet)).rejects.toEqual(blocked)))
    const purchase = await world.holdNew()
    await Promise.all(both.map((wallet) => block(wallet)))
    await Promise.all(both.map(signIn))
    await world.cancel(world.buyer, purchase)
    await remove(world.seller, purchase.listingId)
    await expectRefused()

    const found = { kind: 'late', signature: '1'.repeat(64) as Signature, lamports: lamports(1n), deliverable: false } as const
    const { purchaseId } = purchase
    await world.database
      .insertInto('cases')
      .values({ purchaseId, seller: world.seller.address, ...found })
      .execute()
    await Promise.all(both.map(signIn))
    await world.connection.pool.query('delete from cases where purchase_id = $1', [purchaseId])
    await expectRefused()
  })
})

describe('a seller whose listings are taken back', () => {
  const listBoth = async () => [await world.list(), await world.list(world.seller, { amount: 20, divisible: true })] as const

  it('has the drinks again, of more listings than fit into one transaction', async () => {
    for (let listed = 0; listed < 120; listed += 10)
      await Promise.all(Array.from({ length: 10 }, () => world.list(world.seller, { amount: 1 })))
    expect(await world.appleJuice(world.seller)).toBe(880)
    expect(await block(world.seller, { removeListings: true })).toMatchObject({ removedListings: 120, block: { removeListings: true } })
    expect(await world.appleJuice(world.seller)).toBe(1_000)
    expect(await listOwnListings(world.database, world.seller.address, 'active')).toEqual([])
    expect(await block(world.seller, { removeListings: true })).toMatchObject({ removedListings: 0 })
  })

  it('loses what is being bought, if it is paid', async () => {
    const [whole, divisible] = await listBoth()
    const purchase = await world.holdItems(world.buyer, [{ listingId: whole }, { listingId: divisible, amount: 5 }])
    expect(await block(world.seller, { removeListings: true })).toMatchObject({ removedListings: 1 })
    expect([await statusOf(whole), await statusOf(divisible)]).toEqual(['active', 'removed'])
    await world.submit(world.buyer, purchase, await world.signPayment(world.buyer, purchase))
    await world.untilStatus(purchase, 'settled')
    expect([await world.appleJuice(world.buyer), await world.appleJuice(world.seller)]).toEqual([1_015, 985])
  })

  it('has what was being bought, a whole listing or a part, as soon as its hold ends unpaid', async () => {
    const [whole, divisible] = await listBoth()
    const purchase = await world.holdItems(world.buyer, [{ listingId: whole }, { listingId: divisible, amount: 5 }])
    await block(world.seller, { removeListings: true })
    await world.cancel(world.buyer, purchase)
    expect([await statusOf(whole), await statusOf(divisible)]).toEqual(['removed', 'removed'])
    expect(await world.appleJuice(world.seller)).toBe(1_000)
  })

  it('has a part of a listing that is itself being bought', async () => {
    const other = await world.createWallet()
    const divisible = await world.list(world.seller, { amount: 20, divisible: true })
    const part = await world.holdItems(world.buyer, [{ listingId: divisible, amount: 5 }])
    const rest = await world.holdItems(other, [{ listingId: divisible }])
    await block(world.seller, { removeListings: true })
    await world.cancel(world.buyer, part)
    expect(await world.appleJuice(world.seller)).toBe(985)
    await world.cancel(other, rest)
    expect(await world.appleJuice(world.seller)).toBe(1_000)
  })

  it('keeps on the market what was being bought if the block has ended meanwhile', async () => {
    const whole = await world.list()
    const purchase = await world.hold(world.buyer, whole)
    await block(world.seller, { removeListings: true })
    await unblock(world.seller)
    await world.cancel(world.buyer, purchase)
    expect(await statusOf(whole)).toBe('active')
  })
})

describe('the list of blocks', () => {
  beforeEach(async () => void (await world.connection.pool.query('delete from blocks')))

  const newAddress = () => createWallet().address as WalletAddress
  const readPage = (limit = 50, cursor?: string) => readBlocks(world.database, { limit, ...(cursor !== undefined && { cursor }) })

  /** All pages, by their cursors. */
  async function readAll(limit: number): Promise<string[]> {
    const wallets: string[] = []
    let cursor: string | undefined
    do {
      const page = await readPage(limit, cursor)
      expect(page.blocks.length).toBeLessThanOrEqual(limit)
      wallets.push(...page.blocks.map(({ walletAddress }) => walletAddress))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return wallets
  }

  it('says who is blocked, why, since when, until when and by whom', async () => {
    expect(await readPage()).toEqual({ blocks: [], nextCursor: null })
    const [one, other] = [newAddress(), newAddress()]
    const until = new Date('2099-01-31T12:00:00Z')
    await recordBlock(world.database, { wallet: one, reason: 'Three refunds', until, removeListings: false, actor: 'root key' })
    await recordBlock(world.database, { wallet: other, reason: 'Bots', until: null, removeListings: true, actor: one })
    const since = expect.any(String)
    expect(await readPage()).toEqual({
      blocks: [
        { walletAddress: other, reason: 'Bots', until: null, removeListings: true, since, actor: one },
        { walletAddress: one, reason: 'Three refunds', until: until.toISOString(), removeListings: false, since, actor: 'root key' },
      ],
      nextCursor: null,
    })
    await recordUnblock(world.database, { wallet: other, reason: 'They are none', actor: 'root key' })
    expect((await readPage()).blocks.map(({ walletAddress }) => walletAddress)).toEqual([one])
    await world.connection.pool.query('update blocks set until = now()')
    expect((await readPage()).blocks).toEqual([])
  })

  it('has each block once, the latest first, however long the pages are', async () => {
    const start = Date.parse('2030-01-31T12:00:00Z')
    // Some at the same moment, some a microsecond apart, which is less than JavaScript can tell.
    const blocks = fc.array(fc.record({ micros: fc.integer({ min: 0, max: 3 }), ended: fc.boolean() }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(blocks, fc.integer({ min: 1, max: 5 }), async (wanted, limit) => {
        await world.connection.pool.query('delete from blocks')
        const made = wanted.map(({ micros, ended }) => ({ wallet: newAddress(), micros, ended }))
        for (const { wallet, micros, ended } of made) {
          await world.connection.pool.query(
            `insert into blocks (wallet_address, reason, until, takes_listings, actor, since)
           values ($1, 'x', case when $2 then now() end, false, 'x', $3::timestamptz + $4 * interval '1 microsecond')`,
            [wallet, ended, new Date(start), micros],
          )
        }
        const expected = made
          .filter(({ ended }) => !ended)
          .toSorted((a, b) => b.micros - a.micros || (a.wallet < b.wallet ? -1 : 1))
          .map(({ wallet }) => wallet)
        expect(await readAll(limit)).toEqual(expected)
      }),
      { numRuns: inject('propertyRuns'), endOnFailure: true },
    )
  })

  it('reads its own cursors', () => {
    const position = { sinceMicros: 1_896_091_200_123_456n, wallet: newAddress() }
    expect(parseBlockCursor(blockCursor(position))).toEqual(position)
  })

  const wallet = newAddress()
  it.each(['', 'x', '1', `1.${wallet}0`, `-1.${wallet}`, `1.5.${wallet}`, `1e3.${wallet}`, `${'9'.repeat(18)}.${wallet}`, `1.${wallet}.`])(
    'refuses the cursor %j',
    (cursor) => {
      expect(() => parseBlockCursor(cursor)).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }))
    },
  )
})
