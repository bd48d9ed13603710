import { Failure } from '@juicebar/contract/errors'
import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Chain, type LandedTransaction, type SignatureEntry } from '../../../src/chain/chain.ts'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { reconcileEndedOf } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { createReconciliation } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { useTradingWorld, waiting } from '../trading-world.ts'
import { transfer } from '../transactions.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()

const holdForWallet = (wallet = world.buyer) => world.holdNew(wallet)

/** So many holds that wallets may pay, of four buyers: one buyer may have only a few. */
async function holdMany(count: number): Promise<Purchase[]> {
  const buyers = await Promise.all(Array.from({ length: 4 }, () => world.createWallet()))
  const holds: Purchase[] = []
  for (let n = 0; n < count; n++) holds.push(await holdForWallet(buyers[n % 4]))
  return holds
}

/** Pays for a hold: the next round settles it. */
async function expectSettledNext(purchase: Purchase): Promise<void> {
  await world.payByWallet(world.buyer, purchase)
  await world.makeDue(purchase)
  await world.reconcileOnce()
  expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' })
}

describe('a purchase that was held when an endpoint told a slot far ahead of the chain', () => {
  async function holdFarAhead(): Promise<Purchase> {
    // Tests produce blocks faster than any chain, so this hold is made older than it is, on a chain that began long before it.
    for (let blocks = 0; blocks < 1_200; blocks += 100) await world.mine(100)
    const purchase = await holdForWallet()
    await world.connection.pool.query(
      "update purchases set held_at_slot = held_at_slot + 1000000, created_at = created_at - interval '12 seconds' where id = $1",
      [purchase.purchaseId],
    )
    return purchase
  }

  it('was held at the slot that two endpoints agree on, if two answer', async () => {
    const purchase = await world.withChain({ reachedSlot: async () => 7n }).holdNew(world.buyer)
    const { rows } = await world.connection.pool.query('select held_at_slot from purchases where id = $1', [purchase.purchaseId])
    expect(rows).toEqual([{ held_at_slot: 7n }])
  })

  it('is settled by the payment that carries its reference', async () => {
    await expectSettledNext(await holdFarAhead())
  })

  it('is settled by a payment without it, even if its buyer never comes back', async () => {
    const purchase = await holdFarAhead()
    await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.closePaymentWindow(purchase)
    await world.untilStatus(purchase, 'settled')
    await world.expectAllAddsUp()
  })

  it('is settled by it when an endpoint far ahead tells its slot, and an audit does not find it older later', async () => {
    const purchase = await holdFarAhead()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    const landed = await world.chain.transaction(signature)
    const ahead = world.withChain({ transaction: async () => landed && { ...landed, slot: landed.slot + 2_000_000n } })
    await vi.waitFor(async () => expect((await ahead.confirm(world.buyer, purchase.listingId, signature)).settled).toBe(true), waiting)
    const { rows } = await world.connection.pool.query('select held_at_slot as slot from purchases where id = $1', [purchase.purchaseId])
    expect(rows).toEqual([{ slot: expect.toSatisfy((slot) => slot <= landed!.slot) }])
    await world.expectAllAddsUp()
  })

  it('is settled by it while only that endpoint answers, and an audit does not find it older once others do', async () => {
    const purchase = await holdFarAhead()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    const landed = await world.chain.transaction(signature)
    const highest = async () => (await world.chain.highestSlot()) + 2_000_000n
    const ahead = world.withChain({
      transaction: async () => landed && { ...landed, slot: landed.slot + 2_000_000n },
      highestSlot: highest,
      reachedSlot: highest,
    })
    await vi.waitFor(async () => expect((await ahead.confirm(world.buyer, purchase.listingId, signature)).settled).toBe(true), waiting)
    await world.mine(40)
    const isFinal = async () => (await world.read(purchase.purchaseId)).finalized
    await world.makePurchasesDue()
    await ahead.reconcileOnce()
    expect(await isFinal()).toBe(false)
    await world.reconcileUntil(async () => expect(await isFinal()).toBe(true))
    await world.expectAllAddsUp()
  })

  it('is settled by it although an endpoint far ahead has listed it, and it looked older then', async () => {
    const purchase = await holdFarAhead()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).get(signature)?.commitment).toBe('finalized'), waiting)
    const ahead = world.withChain({
      recentSignatures: async (of, _since, limit, options) =>
        (await world.chain.recentSignatures(of, 0n, limit, options)).map((entry) => ({ ...entry, slot: entry.slot + 2_000_000n })),
      highestSlot: async () => (await world.chain.highestSlot()) + 2_000_000n,
    })
    // Old enough for its buyer's transactions to be listed.
    await world.connection.pool.query("update purchases set created_at = created_at - interval '1 minute' where id = $1", [
      purchase.purchaseId,
    ])
    await world.makeDue(purchase)
    await ahead.expectStillHeld(purchase)
    await world.closePaymentWindow(purchase)
    await ahead.untilStatus(purchase, 'settled')
  })

  it('ends unpaid if there is none, as any other', async () => {
    const purchase = await holdFarAhead()
    await world.closePaymentWindow(purchase)
    await world.untilStatus(purchase, 'ended')
    expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'lapsed' })
  })
})

describe('a payment without the reference settles its hold, although the endpoint that is to prove its absence', () => {
  it.each([
    ['hides it', []],
    ['says that it has failed', [{ failed: true }]],
  ])('%s', async (_, listed) => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.mine(40)
    await world.closePaymentWindow(purchase)
    const slot = await world.chain.highestSlot()
    const hiding = world.withHidingEndpoint(listed.map((entry) => ({ signature, slot, ...entry })))
    await hiding.reconcileUntil(async () => expect((await world.read(purchase.purchaseId)).status).not.toBe('held'))
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' })
  })
})

it.each([
  ['does not answer', () => false],
  ['is busy', (...listed: readonly string[]) => listed.length === 0],
])(
  'a payment without the reference settles its hold, although the only endpoint that shows it %s when the hold is to end',
  async (_, isWhole) => {
    const purchase = await holdForWallet()
    await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.closePaymentWindow(purchase)
    await world.makeDue(purchase)
    await world.withHidingEndpoint().expectStillHeld(purchase)
    await world.mine(200)
    let answers = false
    const hiding = world.withHidingEndpoint()
    const seen = hiding.withChain({
      isWhole: (...listed) => answers || isWhole(...listed),
      recentSignatures: async (...[of, since, limit, options]) =>
        answers ? hiding.deps.chain.recentSignatures(of, since, limit, options) : [],
    })
    for (let round = 0; round < 4; round += 1) {
      await world.makeDue(purchase)
      await seen.expectStillHeld(purchase)
    }
    answers = true
    await seen.reconcileUntil(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' }))
  },
)

it('a payment without the reference settles its hold, although the only endpoint that knows its status could not tell it at the end', async () => {
  const purchase = await holdForWallet()
  const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
  await world.closePaymentWindow(purchase)
  await world.makeDue(purchase)
  await world.withHidingEndpoint().expectStillHeld(purchase)
  await world.mine(200)
  let answers = false
  const hiding = world.withHidingEndpoint()
  const seen = hiding.withChain({
    isWhole: (...about) => answers || !about.includes(signature),
    statuses: async (signatures, options) => (answers ? world.chain.statuses(signatures, options) : new Map()),
    finality: async (signatures) => (answers ? world.chain.finality(signatures) : new Map()),
  })
  for (let round = 0; round < 4; round += 1) {
    await world.makeDue(purchase)
    await seen.expectStillHeld(purchase)
  }
  answers = true
  await seen.reconcileUntil(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' }))
})

describe('a payment of which one endpoint alone tells what no signature covers', () => {
  const tells = (changes: Partial<LandedTransaction>, others: Partial<Chain> = {}) =>
    world.withChain({
      transaction: async (...asked) => {
        const landed = await world.chain.transaction(...asked)
        return landed && { ...landed, ...changes }
      },
      ...others,
    })
  async function paid() {
    const purchase = await world.holdNew()
    await world.payByWallet(world.buyer, purchase)
    await world.mine(40)
    const reconciled = async (on: typeof world) => {
      await world.makeDue(purchase)
      await on.reconcileOnce()
      return world.read(purchase.purchaseId)
    }
    return { reconciled }
  }

  it.each<[string, Partial<Chain>]>([
    ['while another does not answer', { isWhole: () => false }],
    ['while another hides it', { isWhole: () => true }],
  ])('waits for a second one %s, and is settled on its word after that', async (_, others) => {
    const { reconciled } = await paid()
    const alone = tells({ doubt: 'alone' }, others)
    expect(await reconciled(alone)).toMatchObject({ status: 'held' })
    endWaits()
    expect(await reconciled(alone)).toMatchObject({ status: 'settled' })
  })

  it('never settles on the word of one that another contradicts, nor ends the payment’s chance to', async () => {
    const { reconciled } = await paid()
    const disputed = tells({ doubt: 'disputed' })
    expect(await reconciled(disputed)).toMatchObject({ status: 'held' })
    endWaits()
    expect(await reconciled(disputed)).toMatchObject({ status: 'held' })
    expect(await reconciled(world)).toMatchObject({ status: 'settled' })
  })

  it('is not put aside as failed for good', async () => {
    const { reconciled } = await paid()
    expect(await reconciled(tells({ doubt: 'alone', failed: true }))).toMatchObject({ status: 'held' })
    expect(await reconciled(world)).toMatchObject({ status: 'settled' })
  })
})

describe('a payment without the reference that the endpoint which shows it calls older than its purchase', () => {
  /** The same market, while the endpoint that answers first tells a slot far behind. */
  const farBehind = (changes: Partial<Chain> = {}) =>
    world.withChain({
      transaction: async (...args) => {
        const landed = await world.chain.transaction(...args)
        return landed && { ...landed, slot: 1n }
      },
      ...changes,
    })

  it('settles its hold, because another tells the slot in which it landed', async () => {
    const purchase = await holdForWallet()
    await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.closePaymentWindow(purchase)
    await farBehind().untilStatus(purchase, 'settled')
  })

  it('keeps its hold open until every endpoint has told the slot', async () => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await world.closePaymentWindow(purchase)
    await world.mine(200)
    const alone = farBehind({ landedSlots: async () => ({ slots: [1n], silent: 1 }) })
    for (let round = 0; round < 3; round += 1) {
      await world.makeDue(purchase)
      await alone.expectStillHeld(purchase)
    }
    await expect(alone.confirm(world.buyer, purchase.listingId, signature)).resolves.toMatchObject({ settled: false })
    await world.untilStatus(purchase, 'settled')
  })

  it('is a case if it is not what was agreed', async () => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [], lamports: BigInt(purchase.lamports) + 1n })
    await expect(farBehind().confirm(world.buyer, purchase.listingId, signature)).rejects.toMatchObject({ code: 'PAYMENT_CASE' })
  })
})

describe('a purchase that a stranger floods with transactions', () => {
  /** Sends transactions that carry the reference and pay nothing, as anyone can who has seen it. */
  async function flood({ reference }: Purchase, count: number): Promise<Set<string>> {
    const { buyer, rival: stranger } = world
    const sent = new Set<string>()
    for (let n = 1n; n <= count; n++)
      sent.add(await world.transact(stranger, transfer(stranger, stranger.address, n, [reference, buyer.address])))
    return sent
  }

  it('is settled by the payment that came before them', async () => {
    const purchase = await holdForWallet()
    await world.payByWallet(world.buyer, purchase)
    await flood(purchase, 14)
    await world.untilStatus(purchase, 'settled')
  })

  it('is settled by the payment that comes after them', async () => {
    const purchase = await holdForWallet()
    await flood(purchase, 20)
    await world.payByWallet(world.buyer, purchase)
    await world.untilStatus(purchase, 'settled')
  })

  it('is settled even if one of them cannot be read', async () => {
    const purchase = await holdForWallet()
    const unreadable = await flood(purchase, 1)
    await world.payByWallet(world.buyer, purchase)
    const deps = world.chainBut({
      transaction: async (signature) => {
        if (unreadable.has(signature)) throw new Failure('CHAIN_DOWN')
        return world.chain.transaction(signature)
      },
    })
    const seen = world.seenWith({ deps })
    await seen.untilStatus(purchase, 'settled')
  })

  it('ends in time, after each of them was read once', async () => {
    const purchase = await holdForWallet()
    const sent = await flood(purchase, 20)
    await world.closePaymentWindow(purchase)
    await world.mine(32)
    const reads: string[] = []
    const deps = world.chainBut({
      transaction: async (signature) => {
        if (sent.has(signature)) reads.push(signature)
        return world.chain.transaction(signature)
      },
    })
    await world.seenWith({ deps }).untilStatus(purchase, 'ended')
    expect(reads.toSorted()).toEqual([...sent].toSorted())
  })
})

describe('one round', () => {
  it('asks a public RPC node for no more than it answers before requests time out', async () => {
    const holds = await holdMany(12)
    for (const purchase of holds) await world.closePaymentWindow(purchase)
    // An address that the chain client does not treat as local, which it would ask without limits.
    const chain = createChain({ endpoints: [world.rpcUrl.replace('127.0.0.1', '0.0.0.0')], log: world.deps.log, requestsPerSecond: 1_000 })
    await chain.start()
    // As if it allowed little more than a public one, without the waiting.
    vi.spyOn(chain, 'budget').mockReturnValue({ perSecond: 20, backlogSeconds: 0 })
    const sends = chain.pool.endpoints.map((endpoint) => vi.spyOn(endpoint, 'send'))
    const seen = world.seenWith({ deps: { ...world.deps, chain } })
    let most = 0
    await vi.waitFor(async () => {
      await world.connection.pool.query(`update purchases set reconcile_at = now() where status = 'held'`)
      for (const send of sends) send.mockClear()
      await seen.reconcileOnce()
      most = Math.max(most, ...sends.map(({ mock }) => mock.calls.length))
      await world.mine(16)
      for (const { purchaseId } of holds) expect((await world.read(purchaseId)).status).toBe('ended')
    }, waiting)
    await chain.stop()
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(45)
  })

  it('reconciles an open hold first, however many ended ones its buyer has made due', async () => {
    const { buyer } = world
    for (let n = 0; n < 25; n++) await world.cancel(buyer, await world.holdNew())
    await world.connection.pool.query(`update purchases set reconciled_at = now() - interval '1 hour'`)
    await reconcileEndedOf(world.database, buyer.address, 30)
    const due = await world.connection.pool.query('select id from purchases where buyer = $1 and reconcile_at <= now()', [buyer.address])
    expect(due.rowCount).toBe(10)
    await expectSettledNext(await holdForWallet())
  })
})

describe("a hold that the buyer's wallet may have paid", () => {
  it('ends some time after its cancellation, and frees its listing', async () => {
    const purchase = await holdForWallet()
    await world.requestCancel(world.buyer, purchase)
    await world.expectStillHeld(purchase)
    await world.untilStatus(purchase, 'ended')
    expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'cancelled' })
    await expect(world.hold(world.rival, purchase.listingId)).resolves.toMatchObject({ status: 'held' })
  })

  it('stays, however often it is reconciled, while a payment signed in time can still land, and is settled by one that does', async () => {
    const purchase = await holdForWallet()
    const payment = await world.signPayment(world.buyer, purchase)
    await world.closePaymentWindow(purchase)
    for (let round = 0; round < 5; round++) {
      await world.makeDue(purchase)
      await world.expectStillHeld(purchase)
    }
    await world.sendByWallet(payment)
    await world.untilStatus(purchase, 'settled')
  })

  it('stays while a candidate cannot be read', async () => {
    const purchase = await holdForWallet()
    const signature = await world.payByWallet(world.buyer, purchase)
    const unread = world.seenWith({ deps: world.chainBut({ transaction: async () => undefined }) })
    await world.connection.pool.query('update purchases set pay_before = now(), release_height = 0 where id = $1', [purchase.purchaseId])
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).get(signature)?.commitment).toBe('finalized'), waiting)
    await world.makeDue(purchase)
    await unread.expectStillHeld(purchase)
    await world.untilStatus(purchase, 'settled')
  })
})

describe('reconciliations that hang', () => {
  it('keep no other purchase waiting', async () => {
    const hanging = new Set<string>((await holdMany(8)).map(({ reference }) => reference))
    let release = () => {}
    const afterTheTest = new Promise<SignatureEntry[]>((resolve) => (release = () => resolve([])))
    const purchase = await holdForWallet()
    await world.payByWallet(world.buyer, purchase)
    const deps = world.chainBut({
      recentSignatures: (address, since, limit) =>
        hanging.has(address) ? afterTheTest : world.chain.recentSignatures(address, since, limit),
    })
    await world.makePurchasesDue()
    const stop = createReconciliation(deps).start()
    onTestFinished(async () => {
      release()
      await stop()
    })
    await vi.waitFor(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'settled' }), waiting)
  })
})
