import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readUnmatched } from '../../../src/purchases/reply/read-purchases.ts'
import { searchHistories } from '../../../src/purchases/reconciliation/search-histories.ts'
import { confirmPurchase } from '../../../src/purchases/settlement/confirm-purchase.ts'
import { withOtherSignature } from '../co-signed/co-signed-transactions.ts'
import { type SignedPayment, transfer } from '../transactions.ts'
import { useTradingWorld, type Wallet } from '../trading-world.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()
let seller: Wallet
beforeEach(async () => {
  vi.restoreAllMocks()
  seller = await world.createWallet()
  // Everything before the test is decided.
  await search()
})

const query = (text: string) => world.connection.pool.query(text)
const makeDue = () => query('update co_signer_histories set due_at = now()')

/** Searches once, as the server does every minute, after so many blocks that all that has landed is listed. */
async function search(): Promise<void> {
  await world.mine(120)
  await makeDue()
  await searchHistories(world.deps)
}

/** A payment for a listing of this test's seller that the market has signed although it was never reserved. */
async function signUnreserved(buyer = world.buyer): Promise<SignedPayment> {
  const offer = await world.offer(buyer, [{ listingId: await world.list(seller) }])
  return world.coSign(offer, await world.signOffer(buyer, offer))
}

/** Transactions that name the co-signer without its signature. */
async function sendJunk(count: number): Promise<void> {
  const { current } = world.deps.coSigners
  for (let n = 1; n <= count; n++) await world.transact(world.rival, transfer(world.rival, world.rival.address, BigInt(n), [current]))
}

const walks = async () => (await query('select done_slot, top_slot, decided_to from co_signer_histories')).rows

describe('a transaction that the market has signed', () => {
  it('and that the database does not know becomes a case of its buyer and its seller, which everybody is told', async () => {
    const { next } = await readUnmatched(world.database, {})
    const signature = await world.sendByWallet(await signUnreserved())
    await search()
    for (const wallet of [world.buyer, seller]) {
      expect(await world.casesAbout(signature, wallet)).toMatchObject([{ kind: 'lost', status: 'open', seller: seller.address }])
    }
    expect((await readUnmatched(world.database, { after: next })).payments).toMatchObject([{ signature }])
    await search()
    expect(await world.casesAbout(signature, seller)).toHaveLength(1)
  })

  it('counts although one endpoint hides it, a quarter of an hour later', async () => {
    const signature = await world.sendByWallet(await signUnreserved())
    const hidden = { slot: 40n, commitment: 'confirmed' as const, failed: false }
    vi.spyOn(world.chain, 'finality').mockImplementation(async (asked) => new Map(asked.map((each) => [each, hidden])))
    await search()
    expect(await world.casesAbout(signature, seller)).toEqual([])
    endWaits()
    await search()
    expect(await world.casesAbout(signature, seller)).toMatchObject([{ kind: 'lost', status: 'open' }])
  })

  it('is settled if its message was reserved, under whichever signature of its buyer', async () => {
    const buyer = await world.createSeededWallet()
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(buyer, [{ listingId: await world.list(seller) }])
    const copy = withOtherSignature(broadcast.mock.calls[0]![0], buyer.seed)
    await world.sendByWallet(copy)
    await search()
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled', signature: copy.signature })
    expect(await world.casesAbout(copy.signature, seller)).toEqual([])
  })

  it('is settled although it was taken for expired, because the endpoints that answered had hidden it', async () => {
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    const purchase = await world.buyCoSigned(world.buyer, [{ listingId: await world.list(seller) }])
    await world.connection.pool.query(`select end_hold(p, 'expired', null) from purchases p where id = $1`, [purchase.purchaseId])
    const [bytes] = broadcast.mock.calls[0]!
    broadcast.mockRestore()
    await world.chain.broadcast(bytes)
    await search()
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' })
  })

  it('becomes a case of its purchase if it names one that was paid before', async () => {
    const items = [{ listingId: await world.list(seller) }]
    const offer = await world.offer(world.buyer, items)
    const { purchaseId } = await world.pay(world.buyer, items, offer, await world.signOffer(world.buyer, offer))
    await world.untilStatus({ purchaseId }, 'settled')
    await world.mine(10)
    const fresh = await world.offer(world.buyer, [{ listingId: await world.list(seller) }])
    const again = world.coSign(offer, await world.signOffer(world.buyer, { ...offer, blockhash: fresh.blockhash }))
    await world.sendByWallet(again)
    await search()
    expect(await world.casesAbout(again.signature, seller)).toMatchObject([{ kind: 'double', purchaseId }])
    expect((await readUnmatched(world.database, { limit: 500 })).payments.map(({ signature }) => signature)).toContain(again.signature)
  })
})

describe('a reserved payment of a purchase whose buyer has sent another one, too', () => {
  it('becomes a case, although that one was delivered before the chain showed it', async () => {
    const buyer = await world.createWallet()
    const items = [{ listingId: await world.list(seller) }]
    const offer = await world.offer(buyer, items)
    const sent = await world.transact(buyer, transfer(buyer, seller.address, BigInt(offer.lamports), [offer.reference]))
    const { purchaseId, signature } = await world.pay(buyer, items, offer, await world.signOffer(buyer, offer))
    await confirmPurchase(world.deps, buyer.address, { purchaseId }, sent)
    expect(await world.read(purchaseId)).toMatchObject({ status: 'settled', signature: sent })
    await search()
    expect(await world.casesAbout(signature, seller)).toMatchObject([{ kind: 'double', purchaseId }])
  })
})

it('a reserved payment that has landed settles its purchase, if nothing else has looked at it', async () => {
  const purchase = await world.buyCoSigned(world.buyer, [{ listingId: await world.list(seller) }])
  await search()
  expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' })
})

describe('a search of what the market has signed', () => {
  it('makes nothing of transactions that merely name its key', async () => {
    const before = await query('select count(*) from cases')
    await sendJunk(3)
    await search()
    expect((await query('select count(*) from cases')).rows).toEqual(before.rows)
    expect(await walks()).toMatchObject([{ top_slot: null, decided_to: null }])
  })

  it('reads each of them once, and goes on where it stopped however many there are', async () => {
    const payment = await world.sendByWallet(await signUnreserved())
    await sendJunk(14)
    vi.spyOn(world.chain, 'budget').mockReturnValue({ perSecond: 1, backlogSeconds: 0 })
    const read = vi.spyOn(world.chain, 'transaction')
    await search()
    expect(await world.casesAbout(payment, seller)).toEqual([])
    expect(await walks()).toMatchObject([{ top_slot: expect.any(BigInt), decided_to: expect.any(String) }])
    await search()
    expect(await world.casesAbout(payment, seller)).toHaveLength(1)
    const signatures = read.mock.calls.map(([signature]) => signature)
    expect(new Set(signatures).size).toBeGreaterThanOrEqual(15)
    expect(signatures.filter((signature) => signature !== payment)).toHaveLength(14)
  })

  it('waits for what no endpoint shows, but not for ever', async () => {
    await sendJunk(1)
    vi.spyOn(world.chain, 'transaction').mockResolvedValue(undefined)
    await search()
    expect(await walks()).toMatchObject([{ top_slot: expect.any(BigInt) }])
    endWaits()
    await search()
    expect(await walks()).toMatchObject([{ top_slot: null }])
  })

  it('is made by one server a minute, and by none while a recovery is to be made', async () => {
    const payment = await world.sendByWallet(await signUnreserved())
    await world.mine(120)
    await searchHistories(world.deps)
    expect(await world.casesAbout(payment, seller)).toEqual([])
    await query(`insert into rewinds (cause) values ('asked')`)
    await search()
    expect(await world.casesAbout(payment, seller)).toEqual([])
    await query("update rewinds set ended_at = now(), ended_by = 'test'")
    await search()
    expect(await world.casesAbout(payment, seller)).toHaveLength(1)
  })

  it('uses only budget that nothing else needs', async () => {
    await world.sendByWallet(await signUnreserved())
    await world.mine(120)
    await makeDue()
    vi.spyOn(world.chain, 'hasSpare').mockReturnValue(false)
    const opened = vi.spyOn(world.chain, 'finalized')
    await searchHistories(world.deps)
    expect(opened).not.toHaveBeenCalled()
  })
})
