import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import { RETRY_SECONDS } from '../../../src/purchases/reconciliation/schedule.ts'
import { type TradingWorld, useTradingWorld } from '../trading-world.ts'

const world = useTradingWorld()

/** The chain after a rollback of one transaction, whose fork lost; counts how often its bytes are broadcast again. */
function rollBack(lost: Signature): { fork: TradingWorld; broadcasts: () => number } {
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
