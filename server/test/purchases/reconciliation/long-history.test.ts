import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it, vi } from 'vitest'

import { type FinalizedView, type HistoryRange } from '../../../src/chain/chain.ts'
import { useTradingWorld, waiting } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const PAGE_SIZE = 2
const OTHER_TRANSACTIONS = 21
/** One round lists five. Only a page without entries tells that the one before it was the last. */
const PAGES = 12

const world = useTradingWorld({ pageSize: PAGE_SIZE })

/** Transfers that have nothing to do with a purchase, all finalized. */
async function sendOthers(): Promise<void> {
  const { buyer, rival } = world
  for (let count = 1n; count <= OTHER_TRANSACTIONS; count++) await world.transact(buyer, transfer(buyer, rival.address, 1_000_000n + count))
  await world.mine(32)
}

async function closeBeyondRelease({ purchaseId }: Purchase): Promise<void> {
  await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchaseId])
}

/**
 * Reconciles a purchase until it is held no more, in each round by a server that has just started and finds nothing but by searching the
 * finalized chain.
 * @returns how each round searched the buyer's history
 */
async function reconcileByNewServers(purchase: Purchase): Promise<HistoryRange[]> {
  const ranges: HistoryRange[] = []
  const watch = (view: FinalizedView): FinalizedView => ({
    ...view,
    history: async (address, range) => {
      if (address === world.buyer.address) ranges.push(range)
      return view.history(address, range)
    },
  })
  const finalized: typeof world.chain.finalized = async (options) => watch(await world.chain.finalized(options))
  await vi.waitFor(async () => {
    await world.makeDue(purchase)
    await world.seenWith({ deps: world.chainBut({ recentSignatures: async () => [], finalized }) }).reconcileOnce()
    expect((await world.read(purchase.purchaseId)).status).not.toBe('held')
  }, waiting)
  return ranges
}

describe('a hold of a wallet with a long history', () => {
  it('ends once each part of it was searched once, whichever server searches', async () => {
    const purchase = await world.holdNew(world.buyer)
    await sendOthers()
    await closeBeyondRelease(purchase)
    const ranges = await reconcileByNewServers(purchase)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'lapsed' })
    const [listing, deciding] = [ranges.filter(({ pages }) => pages > 1), ranges.filter(({ pages }) => pages === 1)]
    expect(listing).toHaveLength(3)
    expect(listing.filter(({ before }) => before === undefined)).toHaveLength(1)
    expect(new Set(deciding.map(({ before }) => before)).size).toBe(deciding.length)
    expect(deciding).toHaveLength(PAGES)
  })

  it('is settled by a payment behind all the others', async () => {
    const purchase = await world.holdNew(world.buyer)
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await sendOthers()
    await closeBeyondRelease(purchase)
    await reconcileByNewServers(purchase)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled', signature })
  })
})
