import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it, vi } from 'vitest'
import { type Chain, type FinalizedView } from '../../../src/chain/chain.ts'
import { findListing } from '../../../src/listings/listing-store.ts'
import { readStudioPurchase } from '../../../src/studio/players/read-player.ts'
import { releasePurchase } from '../../../src/studio/decide-cases.ts'
import { withOtherSignature } from '../co-signed/co-signed-transactions.ts'
import { type TradingWorld, useTradingWorld } from '../trading-world.ts'

const reason = 'Both sides agree that nothing was paid.'

const world = useTradingWorld()

/** The chain as an endpoint shows it that has dropped everything since the hold, but for its blocks' heights. */
const forgetful: Partial<FinalizedView> = {
  history: async () => ({ kind: 'pruned', firstSlot: 1_000_000n }),
  statusOf: async () => undefined,
}
/** The chain of a buyer whose transactions never end. */
const endless: Pick<FinalizedView, 'history'> = {
  history: async (_, { before, pages }) => ({ kind: 'part', entries: [], older: before ?? signatureOfNobody, pages }),
}
const signatureOfNobody = '1'.repeat(64) as Signature

/** The world with endpoints that cannot prove anything, and find nothing. */
function blind(view: Partial<FinalizedView> = forgetful, changes: Partial<Chain> = {}): TradingWorld {
  return world.withChain({
    recentSignatures: async () => [],
    statuses: async () => new Map(),
    finalized: async (options) => ({ ...(await world.chain.finalized(options)), ...view }),
    ...changes,
  })
}

/** A hold that the buyer's wallet may have paid, its payment window closed, and the chain beyond its release height. */
async function oldHold(buyer = world.buyer): Promise<Purchase> {
  const purchase = await world.holdNew(buyer)
  await closeBeyondRelease(purchase)
  return purchase
}

async function closeBeyondRelease({ purchaseId }: Purchase): Promise<void> {
  await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchaseId])
}

async function reconcileOften(seen: TradingWorld, purchase: Purchase, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.makeDue(purchase)
    await seen.reconcileOnce()
  }
}

async function untilUnprovable(purchase: Purchase, seen = blind()): Promise<void> {
  await seen.reconcileUntil(async () => {
    await world.makeDue(purchase)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held', waitsForStudio: true })
  })
}

async function unprovableHold(): Promise<Purchase> {
  const purchase = await oldHold()
  await untilUnprovable(purchase)
  return world.read(purchase.purchaseId)
}

const release = ({ purchaseId }: Purchase, { deps } = world) => releasePurchase(deps, { purchaseId, reason, actor: 'a test' })
const objection = (words: string) => expect.objectContaining({ code: 'NOT_RELEASABLE', message: `This hold cannot be released: ${words}` })
const logOf = async ({ purchaseId }: Purchase) =>
  (await world.connection.pool.query('select actor, call, reason, created_at from studio_log where subject = $1', [purchaseId])).rows

describe('a hold whose absence of payment no endpoint can prove', () => {
  it('says so, and so does its listing, because the blocks are gone', async () => {
    const purchase = await unprovableHold()
    expect(purchase).toMatchObject({ status: 'held', waitsForStudio: true })
    expect(await findListing(world.database, purchase.listingId)).toMatchObject({ waitsForStudio: true, status: 'active' })
    await expect(world.remove(purchase.listingId)).rejects.toMatchObject({ code: 'LISTING_HELD_BY_BUYER' })
    await release(purchase)
  })

  it('says so because its buyer has too many transactions, and is searched no more', async () => {
    const purchase = await oldHold()
    let looks = 0
    const counting: Partial<FinalizedView> = {
      history: async (address, range) => {
        looks += 1
        return endless.history(address, range)
      },
    }
    await untilUnprovable(purchase, blind(counting))
    const [pages, pagesAtOnce, addresses] = [100, 5, 2]
    expect(looks).toBe((pages / pagesAtOnce) * addresses)
    await reconcileOften(blind(counting), purchase, 3)
    expect(looks).toBe((pages / pagesAtOnce) * addresses)
    await release(purchase)
  })

  it('is told to buyer and seller when it becomes so', async () => {
    const purchase = await oldHold()
    const told = async () => {
      const events = `select audience from events where type = 'purchase.changed' and data->>'purchaseId' = $1`
      return (await world.connection.pool.query(events, [purchase.purchaseId])).rows
    }
    const before = await told()
    await untilUnprovable(purchase)
    expect(await told()).toEqual([...before, { audience: [world.buyer.address, world.seller.address] }])
    await release(purchase)
  })

  it('still ends by itself once an endpoint is named that can prove it', async () => {
    const purchase = await unprovableHold()
    const archive = world.withChain({
      endpoints: () => ['archive'],
      finalized: async () => ({ ...(await world.chain.finalized()), endpoint: 'archive' }),
    })
    await reconcileOften(archive, purchase, 1)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'lapsed', waitsForStudio: false })
  })

  it('is still settled by a payment that is found', async () => {
    const purchase = await oldHold()
    await world.payByWallet(world.buyer, purchase)
    await untilUnprovable(purchase)
    await world.makeDue(purchase)
    await world.untilStatus(purchase, 'settled')
  })
})

describe('the studio', () => {
  it('ends such a hold with a reason that both sides read and the log keeps', async () => {
    const purchase = await unprovableHold()
    await release(purchase)
    expect(await world.read(purchase.purchaseId)).toMatchObject({
      status: 'ended',
      endReason: 'released',
      releaseReason: reason,
      waitsForStudio: false,
    })
    expect(await findListing(world.database, purchase.listingId)).not.toHaveProperty('waitsForStudio')
    await expect(world.hold(world.rival, purchase.listingId)).resolves.toMatchObject({ status: 'held' })
    await expect(world.holdNew()).resolves.toMatchObject({ status: 'held' })
    expect(await logOf(purchase)).toEqual([{ actor: 'a test', call: 'releasePurchase', reason, created_at: expect.any(Date) }])
    const { timeline, waitingFor } = await readStudioPurchase(world.deps, purchase.purchaseId)
    expect(timeline.map(({ event }) => event)).toEqual(['held', 'cancelled'])
    expect([timeline.at(-1)?.detail, waitingFor]).toEqual([`The studio released the hold: ${reason}`, null])
  })

  it('never changes its log', async () => {
    const purchase = await unprovableHold()
    await release(purchase)
    for (const change of [`update studio_log set actor = 'nobody'`, 'delete from studio_log', 'truncate studio_log']) {
      await expect(world.connection.pool.query(change)).rejects.toThrow('never changed')
    }
  })

  it('ends no hold of which an endpoint has shown no obstacle: an outage is none', async () => {
    const purchase = await oldHold()
    const endpoints = () => [...world.chain.endpoints(), 'silent']
    const halfDown = blind(forgetful, {
      endpoints,
      finalized: async ({ except = new Set() } = {}) => {
        if (except.size > 0) throw new Failure('CHAIN_DOWN')
        return { ...(await world.chain.finalized()), ...forgetful }
      },
    })
    await reconcileOften(halfDown, purchase, 3)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held', waitsForStudio: false })
    const words = 'the chain may still prove whether it was paid. The market keeps asking every endpoint.'
    await expect(release(purchase, halfDown)).rejects.toEqual(objection(words))
    await expect(release(await oldHold(world.rival), blind())).rejects.toEqual(objection(words))
    await release(purchase)
  })

  it('ends no hold before its payment can land no more', async () => {
    const purchase = await unprovableHold()
    const setHeight = (height: bigint | null) =>
      world.connection.pool.query('update purchases set release_height = $2 where id = $1', [purchase.purchaseId, height])
    for (const height of [null, 1_000_000n]) {
      await setHeight(height)
      await expect(release(purchase)).rejects.toEqual(objection('a payment that was signed in time may still land.'))
    }
    const elsewhere = blind(forgetful, {
      finalized: async () => ({ ...(await world.chain.finalized()), ...forgetful, genesisHash: 'another chain' }),
    })
    await setHeight(0n)
    await expect(release(purchase, elsewhere)).rejects.toEqual(objection('a payment that was signed in time may still land.'))
    await release(purchase)
  })

  it('ends no hold whose recorded payment may still land, or has landed', async () => {
    const purchase = await world.holdNew()
    const payment = await world.signPayment(world.buyer, purchase)
    const silent = blind(forgetful, { broadcast: async () => undefined })
    await silent.submit(world.buyer, purchase, payment)
    await closeBeyondRelease(purchase)
    await untilUnprovable(purchase, silent)
    const words = 'the payment that was submitted for it may still land, or has landed.'
    await expect(release(purchase, silent)).rejects.toEqual(objection(words))
    await world.sendByWallet(payment)
    await world.connection.pool.query('update payments set expiry_height = -1000 where signature = $1', [payment.signature])
    await expect(release(purchase)).rejects.toEqual(objection(words))
    const knownToAnother = { statuses: world.chain.statuses.bind(world.chain), transaction: async () => undefined }
    await expect(release(purchase, blind(forgetful, knownToAnother))).rejects.toEqual(objection(words))
    await world.makeDue(purchase)
    await world.untilStatus(purchase, 'settled')
  })

  it('ends no hold twice, and none that has been settled', async () => {
    const purchase = await unprovableHold()
    await release(purchase)
    await expect(release(purchase)).rejects.toEqual(objection('it is not held any more.'))
    expect(await logOf(purchase)).toHaveLength(1)
    await expect(release({ ...purchase, purchaseId: 'nothing' })).rejects.toMatchObject({ code: 'PURCHASE_NOT_FOUND' })
  })
})

describe('a reservation of which no endpoint can show whether another copy of its payment has landed', () => {
  /** Reserved, and never sent by the market: only its buyer has a copy. */
  async function reserved() {
    const buyer = await world.createSeededWallet()
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(buyer, [{ listingId: await world.list() }])
    const [complete] = broadcast.mock.calls.map(([bytes]) => bytes)
    broadcast.mockRestore()
    return { purchase, copy: withOtherSignature(complete!, buyer.seed) }
  }

  /** Lets the payment expire at the finalized chain. */
  async function expire({ purchaseId }: Purchase): Promise<void> {
    await world.mine(250)
    await world.connection.pool.query(`update payments set created_at = now() - interval '1 minute' where purchase_id = $1`, [purchaseId])
  }

  it('stays reserved until the studio releases it', async () => {
    const { purchase } = await reserved()
    const mayLand = objection('the payment that was submitted for it may still land, or has landed.')
    await expect(release(purchase, blind())).rejects.toEqual(mayLand)
    await expire(purchase)
    const mayBeProved = objection('the chain may still prove whether it was paid. The market keeps asking every endpoint.')
    await expect(release(purchase, blind())).rejects.toEqual(mayBeProved)
    await untilUnprovable(purchase)
    await reconcileOften(blind(), purchase, 3)
    await release(purchase, blind())
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'released', releaseReason: reason })
    await expect(world.hold(world.rival, purchase.listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('ends by itself if another endpoint can', async () => {
    const { purchase } = await reserved()
    await expire(purchase)
    const archive = blind(forgetful, {
      endpoints: () => [...world.chain.endpoints(), 'archive'],
      finalized: async ({ except } = {}) => {
        const view = await world.chain.finalized()
        return except ? { ...view, endpoint: 'archive' } : { ...view, ...forgetful }
      },
    })
    await reconcileOften(archive, purchase, 1)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'held', waitsForStudio: false })
    await reconcileOften(archive, purchase, 1)
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'expired' })
  })

  it('is delivered if a copy turns up after the release', async () => {
    const { purchase, copy } = await reserved()
    await world.sendByWallet(copy)
    await expire(purchase)
    await untilUnprovable(purchase)
    await release(purchase, blind())
    await world.reconcileUntil(async () => {
      await world.makeDue(purchase)
      expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled', signature: copy.signature })
    })
  })
})

describe('a payment that turns up after the studio has released its hold', () => {
  async function paidAndReleased() {
    const purchase = await oldHold()
    const payment = await world.payByWallet(world.buyer, purchase)
    await untilUnprovable(purchase)
    await release(purchase, blind())
    return { purchase, payment }
  }

  it('is delivered if the listing is still free', async () => {
    const { purchase, payment } = await paidAndReleased()
    await world.reconcileUntil(async () => {
      await world.makeDue(purchase)
      expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled', signature: payment, endReason: null })
    })
    const { timeline } = await readStudioPurchase(world.deps, purchase.purchaseId)
    expect(timeline.slice(0, 2)).toMatchObject([
      { event: 'held' },
      { event: 'cancelled', detail: `The studio released the hold: ${reason}` },
    ])
    expect(timeline.map(({ event }) => event)).toContain('delivered')
  })

  it('becomes a case if somebody else has the listing', async () => {
    const { purchase, payment } = await paidAndReleased()
    await world.remove(purchase.listingId)
    await world.reconcileUntil(async () => {
      await world.makeDue(purchase)
      expect(await world.casesOf(world.buyer)).toContainEqual(expect.objectContaining({ kind: 'late', signature: payment }))
    })
  })
})
