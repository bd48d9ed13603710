import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import { RETRY_SECONDS } from '../../../src/purchases/reconciliation/schedule.ts'
import { type Chain } from '../../../src/chain/chain.ts'
import { openVanishedCase } from '../../../src/purchases/cases/open-case.ts'
import { findPurchase } from '../../../src/purchases/purchase/purchase-store.ts'
import { type PaymentRow } from '../../../src/purchases/payment/payment-store.ts'
import { prepareRefund } from '../../../src/purchases/cases/refund-case.ts'
import { type PaymentChanges, refusal, type TradingWorld, useTradingWorld } from '../trading-world.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()

/** The chain after a rollback of one transaction, whose fork lost; counts how often its bytes are broadcast again. */
function rollBack(lost: Signature, changes: Partial<Chain> = {}): { fork: TradingWorld; broadcasts: () => number } {
  const { chain } = world
  let broadcasts = 0
  const isKept = (signature: Signature) => signature !== lost
  const deps = world.chainBut({
    statuses: async (signatures) => chain.statuses(signatures.filter(isKept)),
    finality: async (signatures) => chain.finality(signatures.filter(isKept)),
    transaction: async (signature) => (isKept(signature) ? chain.transaction(signature) : undefined),
    recentSignatures: async (...query) => (await chain.recentSignatures(...query)).filter((entry) => isKept(entry.signature)),
    broadcast: async () => void (broadcasts += 1),
    finalized: async () => {
      const view = await chain.finalized()
      return {
        ...view,
        statusOf: async (signature) => (isKept(signature) ? view.statusOf(signature) : undefined),
        history: async (...query) => {
          const part = await view.history(...query)
          return part.kind === 'part' ? { ...part, entries: part.entries.filter((entry) => isKept(entry.signature)) } : part
        },
      }
    },
    ...changes,
  })
  return { fork: world.seenWith({ deps }), broadcasts: () => broadcasts }
}

async function settledPurchase() {
  const purchase = await world.holdNew()
  const payment = await world.signPayment(world.buyer, purchase)
  await world.submit(world.buyer, purchase, payment)
  await world.untilStatus(purchase, 'settled')
  return { purchase, signature: payment.signature, read: () => world.read(purchase.purchaseId) }
}

describe('a settled payment', () => {
  it('is reconciled until it is finalized', async () => {
    const { read } = await settledPurchase()
    await world.reconcileUntil(async () => expect(await read()).toMatchObject({ status: 'settled', finalized: true }))
  })

  it('that is rolled back is broadcast again, and becomes a case and a reversal of its sale once it can no longer land', async () => {
    const { purchase, signature, read } = await settledPurchase()
    const { purchaseId } = purchase
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchaseId])
    const tokens = await world.appleJuice(world.buyer)
    const { fork, broadcasts } = rollBack(signature)
    await fork.untilCase(signature, { kind: 'vanished', refundable: false })
    expect(broadcasts()).toBeGreaterThan(0)
    expect(await world.appleJuice(world.buyer)).toBe(tokens)
    expect(await read()).toMatchObject({ status: 'settled', finalized: false })
    const sales = (await readSales(world.database, { limit: 500 })).sales.filter((sale) => sale.purchaseId === purchaseId)
    const saleId = `${purchaseId}.1`
    expect(sales.map(({ saleId: id, reverses }) => [id, reverses])).toEqual([
      [saleId, null],
      [`${saleId}.reversed`, saleId],
    ])
  })

  it.each([
    ['another one that pays for the same', { version: 'legacy' as const }],
    ['one that carries no reference', { references: [] }],
  ])('that is rolled back is replaced by %s', async (_, changes) => {
    const { purchase, signature, read } = await settledPurchase()
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    const tokens = await world.appleJuice(world.buyer)
    const other = await world.payByWallet(world.buyer, purchase, changes)
    await rollBack(signature).fork.reconcileUntil(async () => expect(await read()).toMatchObject({ signature: other, finalized: true }))
    expect([await world.casesAbout(signature), await world.casesAbout(other)]).toEqual([[], []])
    expect(await world.appleJuice(world.buyer)).toBe(tokens)
    const { sales } = await readSales(world.database, { limit: 500 })
    expect(sales.filter(({ purchaseId }) => purchaseId === purchase.purchaseId)).toMatchObject([{ signature: other }])
  })

  it.each([
    ['one that a single endpoint lists', { version: 'legacy' as const }],
    ['one without a reference that a single endpoint lists', { references: [] }],
  ])('that is rolled back is replaced by %s', async (_, changes) => {
    const { purchase, signature, read } = await settledPurchase()
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    const other = await world.payByWallet(world.buyer, purchase, changes)
    const recentSignatures: Chain['recentSignatures'] = async (address, sinceSlot, limit, options) =>
      options?.everywhere
        ? (await world.chain.recentSignatures(address, sinceSlot, limit, options)).filter((entry) => entry.signature !== signature)
        : []
    const { fork } = rollBack(signature, { recentSignatures })
    await fork.reconcileUntil(async () => expect(await read()).toMatchObject({ signature: other }))
    expect(await world.casesAbout(signature)).toEqual([])
  })

  it('that is rolled back is no case yet while an endpoint does not answer, which may show another one', async () => {
    const { purchase, signature } = await settledPurchase()
    await world.connection.pool.query('update purchases set finalized_at = null where id = $1', [purchase.purchaseId])
    await world.mine(250)
    const { fork } = rollBack(signature, { isWhole: () => false })
    const casesNow = async () => {
      await world.makeDue(purchase)
      await fork.reconcileOnce()
      return world.casesAbout(signature)
    }
    expect(await casesNow()).toEqual([])
    endWaits()
    expect(await casesNow()).toMatchObject([{ kind: 'vanished', status: 'open' }])
  })

  it('that is rolled back is replaced by one that is a case already, which is over then', async () => {
    const { confirmed, signature, first, purchase } = await payTwice()
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    await rollBack(first).fork.reconcileUntil(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ signature }))
    await confirmed.expectCase(signature, {
      status: 'delivered',
      refundable: false,
      explanation: expect.stringContaining('The network dropped the first one') as string,
    })
    expect(await world.casesAbout(first)).toEqual([])
  })

  it('that is rolled back is replaced by one without a reference that is a case already, however long that was ago', async () => {
    const { signature, first, purchase } = await payTwice({ references: [] })
    await world.connection.pool.query(
      `update purchases set finalized_at = null, settled_at = now() - interval '11 minutes', reconcile_at = now() where id = $1`,
      [purchase.purchaseId],
    )
    await rollBack(first).fork.reconcileUntil(async () => expect(await world.read(purchase.purchaseId)).toMatchObject({ signature }))
    expect(await world.casesAbout(first)).toEqual([])
  })

  it('that is rolled back is a case if the seller has sent the other one back long after the refund was prepared', async () => {
    const { signature, first, purchase, caseId } = await payTwice()
    await world.mine(32)
    const refund = await world.signRefund(world.seller, { caseId })
    // Taken for expired, and searched again only in a while.
    await world.connection.pool.query(
      `update cases set refund_expiry_height = null, reconcile_at = now() + interval '1 day' where id = $1`,
      [caseId],
    )
    await world.sendByWallet(refund)
    await world.connection.pool.query('update purchases set finalized_at = null where id = $1', [purchase.purchaseId])
    await world.mine(250)
    await world.makeDue(purchase)
    await rollBack(first).fork.reconcileOnce()
    expect(await world.casesAbout(first)).toMatchObject([{ kind: 'vanished', status: 'open' }])
    await world.untilCase(signature, { kind: 'double', status: 'refunded' })
  })

  it('that another server has let be replaced opens no case', async () => {
    const { purchase, signature } = await settledPurchase()
    const { rows } = await world.connection.pool.query<{ signature: Signature; transactionBytes: Buffer }>(
      'select signature, transaction_bytes as "transactionBytes" from payments where signature = $1',
      [signature],
    )
    await world.connection.pool.query("update purchases set signature = 'another', finalized_at = null where id = $1", [
      purchase.purchaseId,
    ])
    const stale = (await findPurchase(world.database, purchase.purchaseId))!
    await openVanishedCase(world.deps, stale, rows[0] as PaymentRow)
    await world.connection.pool.query('update purchases set signature = $2 where id = $1', [purchase.purchaseId, signature])
    expect(await world.casesAbout(signature)).toEqual([])
  })

  it('that is rolled back is a case if the other one is being paid back', async () => {
    const { confirmed, signature, prepare, first, purchase } = await payTwice()
    await world.mine(32)
    await prepare(world)
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    endWaits()
    await rollBack(first).fork.reconcileUntil(async () => {
      expect(await world.casesAbout(first)).toMatchObject([{ kind: 'vanished', status: 'open' }])
    })
    const explanation = expect.stringContaining('there is nothing to send back') as string
    await confirmed.expectCase(signature, { kind: 'double', status: 'open', explanation })
  })

  it('that is rolled back is a case if others add up in the case of the other one', async () => {
    const { confirmed, signature, first, purchase } = await payTwice()
    await world.connection.pool.query(
      `insert into small_payments (case_id, signature, lamports, fee_lamports) select id, 'another', 1, 0 from cases where signature = $1`,
      [signature],
    )
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    endWaits()
    await rollBack(first).fork.reconcileUntil(async () => {
      expect(await world.casesAbout(first)).toMatchObject([{ kind: 'vanished', status: 'open' }])
    })
    await confirmed.expectCase(signature, { kind: 'double', status: 'open' })
  })

  it('that was delivered late, through its case, becomes another case when it is rolled back', async () => {
    const purchase = await world.holdNew()
    await world.cancel(world.buyer, purchase)
    const rivalHold = await world.hold(world.rival, purchase.listingId)
    const signature = await world.payByWallet(world.buyer, purchase)
    await world.untilCase(signature, { kind: 'late', status: 'open' })
    await world.cancel(world.rival, rivalHold)
    await world.untilCase(signature, { kind: 'late', status: 'delivered' })
    await world.connection.pool.query('update purchases set finalized_at = null, reconcile_at = now() where id = $1', [purchase.purchaseId])
    await rollBack(signature).fork.reconcileUntil(async () => {
      const found = await world.casesAbout(signature)
      expect(found.map(({ kind, status }) => [kind, status])).toEqual([
        ['vanished', 'open'],
        ['late', 'delivered'],
      ])
    })
    const { sales } = await readSales(world.database, { limit: 500 })
    expect(sales.filter(({ purchaseId }) => purchaseId === purchase.purchaseId).map(({ reverses }) => reverses)).toEqual([
      null,
      `${purchase.purchaseId}.1`,
    ])
  })

  it('that is older than the blocks that the endpoint keeps is not taken for rolled back, and looked at now and then', async () => {
    const { purchase, signature, read } = await settledPurchase()
    await world.connection.pool.query('update purchases set finalized_at = null where id = $1', [purchase.purchaseId])
    const pruned = world.withChain({
      finality: async () => new Map(),
      transaction: async () => undefined,
      finalized: async (...asked) => ({
        ...(await world.chain.finalized(...asked)),
        statusOf: async () => undefined,
        history: async () => ({ kind: 'pruned', firstSlot: 10n ** 12n }),
      }),
    })
    await world.mine(200)
    await world.makeDue(purchase)
    await pruned.reconcileOnce()
    expect(await read()).toMatchObject({ status: 'settled', finalized: false })
    expect(await world.casesAbout(signature)).toEqual([])
    const { rows } = await world.connection.pool.query('select reconcile_at > now() + $2 as later from purchases where id = $1', [
      purchase.purchaseId,
      `${RETRY_SECONDS} seconds`,
    ])
    expect(rows).toEqual([{ later: true }])
  })

  it('that only seemed rolled back opens no case', async () => {
    const { signature, read } = await settledPurchase()
    const { fork, broadcasts } = rollBack(signature)
    await fork.reconcileUntil(async () => expect(broadcasts()).toBeGreaterThan(0))
    await world.reconcileUntil(async () => expect(await read()).toMatchObject({ finalized: true }))
    expect(await world.casesAbout(signature)).toEqual([])
  })
})

/** A second payment of a settled purchase, which is confirmed and not final. */
async function payTwice(changes: PaymentChanges = { version: 'legacy' }) {
  const purchase = await world.holdNew()
  const [first, second] = [await world.signPayment(world.buyer, purchase), await world.signPayment(world.buyer, purchase, changes)]
  await world.sendByWallet(first)
  await world.confirm(world.buyer, purchase.listingId, first.signature)
  await world.sendByWallet(second)
  const confirmed = world.seenWith({ deps: world.chainAt('confirmed') })
  await expect(confirmed.confirm(world.buyer, purchase.listingId, second.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
  const found = await world.expectCase(second.signature, { kind: 'double', status: 'open', refundable: true })
  const prepare = ({ deps }: TradingWorld) => prepareRefund(deps, world.seller.address, found.caseId)
  return { purchase, first: first.signature, signature: second.signature, caseId: found.caseId, confirmed, prepare }
}

describe('the payment of a case', () => {
  it('is not refunded while the chain may still drop it', async () => {
    const { signature, confirmed, prepare } = await payTwice()
    endWaits()
    await expect(prepare(confirmed)).rejects.toEqual(refusal('PAYMENT_NOT_FINAL'))
    await confirmed.makeCasesDue()
    await confirmed.reconcileOnce()
    await expect(prepare(rollBack(signature).fork)).rejects.toEqual(refusal('PAYMENT_NOT_FINAL'))
    await world.expectCase(signature, { status: 'open' })
  })

  it('is not refunded while the payment that it doubles may be dropped, and it would count instead', async () => {
    const { prepare, purchase, first } = await payTwice()
    await world.mine(32)
    const { fork } = rollBack(first)
    endWaits()
    await expect(prepare(fork)).rejects.toEqual(refusal('PAYMENT_NOT_FINAL'))
    for (const until of ['finalized_at = now()', "finalized_at = null, settled_at = now() - interval '25 hours'"]) {
      await world.connection.pool.query(`update purchases set ${until} where id = $1`, [purchase.purchaseId])
      await expect(prepare(fork)).resolves.toMatchObject({ buyer: world.buyer.address })
    }
  })

  it('is not refunded while another late payment, which was delivered, may be dropped', async () => {
    const purchase = await world.holdNew()
    await world.cancel(world.buyer, purchase)
    const rivalHold = await world.hold(world.rival, purchase.listingId)
    const both = [await world.payByWallet(world.buyer, purchase), await world.payByWallet(world.buyer, purchase, { version: 'legacy' })]
    const cases = await Promise.all(both.map((signature) => world.untilCase(signature, { kind: 'late', status: 'open' })))
    await world.cancel(world.rival, rivalHold)
    await world.untilStatus(purchase, 'settled')
    const { signature: delivered } = await world.read(purchase.purchaseId)
    await world.connection.pool.query('update purchases set finalized_at = null where id = $1', [purchase.purchaseId])
    await world.mine(32)
    const { fork } = rollBack(delivered as Signature)
    endWaits()
    const left = cases.find(({ signature }) => signature !== delivered)!
    await expect(prepareRefund(fork.deps, world.seller.address, left.caseId)).rejects.toEqual(refusal('PAYMENT_NOT_FINAL'))
  })

  it('is refunded as soon as it is final', async () => {
    const { prepare, confirmed } = await payTwice()
    let final = false
    const finality: typeof world.chain.finality = (signatures) => (final ? world.chain : confirmed.deps.chain).finality(signatures)
    const prepared = prepare(world.withChain({ finality }))
    await world.mine(32)
    final = true
    await expect(prepared).resolves.toMatchObject({ buyer: world.buyer.address })
  })

  it('that is rolled back needs no refund: the case is closed once it can no longer land', async () => {
    const { signature, prepare } = await payTwice()
    const { fork, broadcasts } = rollBack(signature)
    await fork.untilCase(signature, {
      status: 'closed',
      refundable: false,
      note: expect.stringContaining('dropped this payment') as string,
    })
    expect(broadcasts()).toBe(0)
    await expect(prepare(world)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
  })

  it('is not taken for rolled back while an endpoint does not answer, or lists it', async () => {
    const { signature } = await payTwice()
    await world.mine(250)
    const busy = { isWhole: (...listed: readonly string[]) => listed.length === 0 }
    for (const changes of [{ isWhole: () => false }, busy, { recentSignatures: world.chain.recentSignatures.bind(world.chain) }]) {
      await world.makeCasesDue()
      await rollBack(signature, changes).fork.reconcileOnce()
      await world.expectCase(signature, { status: 'open' })
    }
  })

  it('that one endpoint hides is final a quarter of an hour later', async () => {
    const { signature, prepare, confirmed, purchase } = await payTwice()
    await world.connection.pool.query('update purchases set finalized_at = now() where id = $1', [purchase.purchaseId])
    const hiding = world.withChain({ finality: (signatures) => confirmed.deps.chain.finality(signatures) })
    await world.mine(40)
    await hiding.makeCasesDue()
    await hiding.reconcileOnce()
    endWaits()
    await expect(prepare(hiding)).resolves.toMatchObject({ buyer: world.buyer.address })
    await world.expectCase(signature, { status: 'open', refundable: true })
  })

  it('that failed on another fork needs no refund', async () => {
    const { signature } = await payTwice()
    await world.mine(32)
    const failed = world.withChain({
      finality: async (asked) => new Map(asked.map((each) => [each, { slot: 40n, commitment: 'finalized', failed: true }])),
    })
    await failed.makeCasesDue()
    await failed.reconcileOnce()
    await world.expectCase(signature, { status: 'closed' })
  })

  it('that was final when its refund was prepared stays open, whatever is said of it later', async () => {
    const { signature, prepare } = await payTwice()
    await world.mine(32)
    await prepare(world)
    const { fork } = rollBack(signature)
    await world.mine(300)
    await fork.makeCasesDue()
    await fork.reconcileOnce()
    await world.expectCase(signature, { status: 'open', refundable: true })
  })

  it('that failed does not count as final after a day', async () => {
    const { signature, prepare } = await payTwice()
    await world.connection.pool.query(`update cases set opened_at = opened_at - interval '25 hours' where signature = $1`, [signature])
    const told = async (asked: readonly Signature[]) =>
      new Map(asked.map((each) => [each, { slot: 40n, commitment: 'confirmed' as const, failed: true }]))
    const failed = world.withChain({ finality: told, statuses: told })
    endWaits()
    await failed.makeCasesDue()
    await failed.reconcileOnce()
    await expect(prepare(failed)).rejects.toEqual(refusal('PAYMENT_NOT_FINAL'))
  })

  it('counts as final after a day in which no endpoint could tell', async () => {
    const { signature, prepare } = await payTwice()
    await world.connection.pool.query(`update cases set opened_at = opened_at - interval '25 hours' where signature = $1`, [signature])
    const { fork } = rollBack(signature)
    await world.mine(32)
    await fork.makeCasesDue()
    await fork.reconcileOnce()
    await expect(prepare(fork)).resolves.toMatchObject({ buyer: world.buyer.address })
  })
})

describe('with SETTLE_AT=finalized', () => {
  it('tokens move only when the payment is finalized', async () => {
    const settings = { ...world.deps.settings, settleAt: 'finalized' as const }
    const strict = world.seenWith({ deps: { ...world.deps, settings } })
    const purchase = await strict.holdNew()
    const payment = await strict.signPayment(world.buyer, purchase)
    await strict.submit(world.buyer, purchase, payment)
    // However slow this machine is, it sees the payment while that is only confirmed.
    const confirmed = world.seenWith({ deps: { ...world.chainAt('confirmed'), settings } })
    await confirmed.reconcileUntil(async () => {
      expect(await strict.read(purchase.purchaseId)).toMatchObject({ status: 'held', stage: 'confirmed' })
    })
    await strict.untilStatus(purchase, 'settled')
    expect((await world.chain.statuses([payment.signature])).get(payment.signature)?.commitment).toBe('finalized')
  })
})
