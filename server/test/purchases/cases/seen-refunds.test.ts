import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { refusal, useTradingWorld } from '../trading-world.ts'
import { transfer } from '../transactions.ts'

const world = useTradingWorld()

/** A late payment whose refund was prepared, has expired, and may be signed again by its seller's wallet. A rival holds the listing. */
async function payLate() {
  const purchase = await world.holdNew()
  await world.cancel(world.buyer, purchase)
  const rivalHold = await world.hold(world.rival, purchase.listingId)
  const signature = await world.payByWallet(world.buyer, purchase)
  const confirm = () => world.confirm(world.buyer, purchase.listingId, signature)
  await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
  const { caseId } = await world.expectCase(signature, { kind: 'late', status: 'open', refundable: true })
  const { reference, lamports } = await world.prepareRefund(world.seller, { caseId })
  await world.reconcileUntil(async () => {
    const waiting = await world.connection.pool.query('select from cases where id = $1 and refund_expiry_height is not null', [caseId])
    expect(waiting.rowCount).toBe(0)
  })
  const free = () => world.cancel(world.rival, rivalHold)
  return { purchase, signature, caseId, confirm, free, refund: transfer(world.seller, world.buyer.address, BigInt(lamports), [reference]) }
}

type Late = Awaited<ReturnType<typeof payLate>>

const seenOf = async ({ caseId }: Pick<Late, 'caseId'>) =>
  (await world.connection.pool.query<{ signature: Signature }>('select signature from refunds_seen where case_id = $1', [caseId])).rows
const statusOf = async ({ purchase }: Late) => (await world.read(purchase.purchaseId)).status
/** The same market on endpoints that have not heard of what names a refund yet. */
const behind = () => world.withChain({ recentSignatures: async () => [] })

describe("a refund that a seller's wallet sends by itself", () => {
  it('rules out a delivery by a server whose endpoints do not show it, once another has seen it', async () => {
    const late = await payLate()
    await late.free()
    const refundSignature = await world.transact(world.seller, late.refund)
    await expect(late.confirm()).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await seenOf(late)).toEqual([{ signature: refundSignature }])
    const { listingId } = late.purchase
    await expect(behind().confirm(world.buyer, listingId, late.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await statusOf(late)).toBe('ended')
    await world.untilCase(late.signature, { status: 'refunded', refundSignature })
  })

  it('that another server sees while this one is about to deliver rules it out', async () => {
    const late = await payLate()
    await late.free()
    const seenMeanwhile = world.withChain({
      recentSignatures: async () => {
        await world.connection.pool.query(`insert into refunds_seen values ($1, 'seen', 1000000)`, [late.caseId])
        return []
      },
    })
    const { listingId } = late.purchase
    await expect(seenMeanwhile.confirm(world.buyer, listingId, late.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await statusOf(late)).toBe('ended')
  })

  it('together with another refund, in a transaction recorded for that one, rules out the delivery at once', async () => {
    const both = [await payLate(), await payLate()] as const
    await world.transact(world.seller, both[0].refund, both[1].refund)
    for (let round = 0; round < 2; round++) {
      await world.makeCasesDue()
      await world.reconcileOnce()
    }
    const [first, second] = await Promise.all(both.map(seenOf))
    expect([...first!, ...second!]).toHaveLength(1)
    const other = both[first!.length === 1 ? 0 : 1]
    await other.free()
    await expect(behind().confirm(world.buyer, other.purchase.listingId, other.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    for (const { signature } of both) await world.untilCase(signature, { status: 'refunded' })
  })

  it('that the chain drops and can no longer take is forgotten, and the payment is delivered', async () => {
    const late = await payLate()
    await late.free()
    const height = await world.chain.highestBlockHeight()
    await world.connection.pool.query(`insert into refunds_seen values ($1, 'dropped', $2)`, [late.caseId, height + 20n])
    await expect(late.confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.makeCasesDue()
    await world.reconcileOnce()
    expect(await seenOf(late)).toEqual([{ signature: 'dropped' }])
    await world.untilStatus(late.purchase, 'settled')
    expect(await seenOf(late)).toEqual([])
  })

  it('something else of which names the reference rules out the delivery for good', async () => {
    const late = await payLate()
    await late.free()
    const [account] = late.refund.accounts!.slice(2)
    const named = await world.transact(world.seller, transfer(world.seller, world.rival.address, 1n, [account!.address]))
    await world.connection.pool.query('update cases set reconcile_at = now() where id = $1', [late.caseId])
    await world.reconcileOnce()
    expect(await seenOf(late)).toEqual([{ signature: named }])
    await expect(behind().confirm(world.buyer, late.purchase.listingId, late.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.mine(200)
    await world.connection.pool.query('update cases set reconcile_at = now() where id = $1', [late.caseId])
    await behind().reconcileOnce()
    expect(await seenOf(late)).toEqual([{ signature: named }])
    expect(await statusOf(late)).toBe('ended')
  })
})
