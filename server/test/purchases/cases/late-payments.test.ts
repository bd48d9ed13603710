import { type Purchase } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'
import { closeCase } from '../../../src/purchases/cases/open-case.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { refusal, useTradingWorld } from '../trading-world.ts'

const world = useTradingWorld()

/** A hold that its buyer cancelled but can still pay for, as a hostile or broken client may. */
async function cancelledHold(): Promise<Purchase> {
  const purchase = await world.holdNew()
  await world.cancel(world.buyer, purchase)
  expect((await world.read(purchase.purchaseId)).status).toBe('ended')
  return purchase
}

/** The buyer pays for a listing that has been sold to a rival meanwhile. */
async function payForSoldListing() {
  const { buyer, rival } = world
  const purchase = await cancelledHold()
  const other = await world.hold(rival, purchase.listingId)
  await world.submit(rival, other, await world.signPayment(rival, other))
  await world.untilStatus(other, 'settled')
  return { purchase, signature: await world.payByWallet(buyer, purchase) }
}

describe('a payment that lands after its hold ended', () => {
  it('is delivered if it carries the reference and the listing is still for sale', async () => {
    const purchase = await cancelledHold()
    const before = await world.appleJuice(world.buyer)
    await world.payByWallet(world.buyer, purchase)
    await world.untilStatus(purchase, 'settled')
    expect(await world.appleJuice(world.buyer)).toBe(before + purchase.amount)
  })

  it('is found although the endpoint that is asked first hides it', async () => {
    const purchase = await cancelledHold()
    await world.payByWallet(world.buyer, purchase)
    await world.withHidingEndpoint().reconcileUntil(async () => {
      expect((await world.read(purchase.purchaseId)).status).toBe('settled')
    })
  })

  it('is delivered at once when its buyer confirms it', async () => {
    const purchase = await cancelledHold()
    const signature = await world.payByWallet(world.buyer, purchase)
    expect(await world.confirm(world.buyer, purchase.listingId, signature)).toMatchObject({ settled: true })
  })

  it('is never delivered without a reference, but becomes a case that its buyer sees', async () => {
    const purchase = await cancelledHold()
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await expect(world.confirm(world.buyer, purchase.listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(signature, { kind: 'late', status: 'open', refundable: true })
    expect(await world.read(purchase.purchaseId)).toMatchObject({ status: 'ended' })
  })

  it('waits while someone else holds the listing, and is delivered as soon as that hold is cancelled', async () => {
    const purchase = await cancelledHold()
    const other = await world.hold(world.rival, purchase.listingId)
    const signature = await world.payByWallet(world.buyer, purchase)
    await world.untilCase(signature, { kind: 'late', status: 'open' })
    // It has just been reconciled in vain, and is not due again so soon.
    await world.reconcileOnce()
    await world.cancel(world.rival, other)
    const { rows: last } = await world.connection.pool.query<{ id: bigint }>('select max(id) as id from events')
    await world.reconcileOnce()
    expect((await world.read(purchase.purchaseId)).status).toBe('settled')
    const { caseId } = await world.expectCase(signature, { status: 'delivered', refundable: false })
    const { rows: told } = await world.connection.pool.query(
      `select audience, data from events where id > $1 and type = 'case.changed' and data->>'caseId' = $2`,
      [last[0]?.id, caseId],
    )
    expect(told).toMatchObject([{ audience: [world.buyer.address, world.seller.address] }])
  })

  it('can be refunded by the seller once the listing was sold to someone else', async () => {
    const { deps, seller, buyer, rival } = world
    const { purchase, signature } = await payForSoldListing()
    const { caseId } = await world.untilCase(signature, { kind: 'late', refundable: true })
    await expect(prepareRefund(deps, buyer.address, caseId)).rejects.toEqual(refusal('NOT_YOUR_REFUND'))
    await expect(prepareRefund(deps, rival.address, caseId)).rejects.toEqual(refusal('CASE_NOT_FOUND'))

    const before = await world.chain.balance(buyer.address, { fresh: true })
    const { base64 } = await world.signRefund(seller, { caseId })
    const refund = await submitRefund(deps, seller.address, caseId, base64)
    expect(await submitRefund(deps, seller.address, caseId, base64)).toBe(refund)
    await expect(closeCase(deps, caseId, 'too late')).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await world.untilCase(signature, { status: 'refunded', refundSignature: refund })
    expect(await world.chain.balance(buyer.address, { fresh: true })).toBe(before + BigInt(purchase.lamports))
    await expect(prepareRefund(deps, seller.address, caseId)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
  })

  it('can be closed once by the studio, with a note', async () => {
    const { signature } = await payForSoldListing()
    const { caseId } = await world.untilCase(signature, { status: 'open' })
    expect(await closeCase(world.deps, caseId, 'settled by mail')).toMatchObject({ status: 'closed', note: 'settled by mail' })
    await expect(closeCase(world.deps, caseId, 'again')).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await expect(closeCase(world.deps, 'nothing', 'x')).rejects.toEqual(refusal('CASE_NOT_FOUND'))
  })
})

it('a submitted payment that never lands frees the listing once it is proved expired, without a cooldown', async () => {
  const { buyer } = world
  const silent = world.seenWith({ deps: world.chainBut({ broadcast: async () => undefined }) })
  const purchase = await world.holdNew()
  await silent.submit(buyer, purchase, await world.signPayment(buyer, purchase))
  await expect(world.cancel(buyer, purchase)).rejects.toEqual(refusal('PAYMENT_UNDER_WAY'))
  await expect(world.hold(buyer, purchase.listingId)).rejects.toEqual(refusal('PAYMENT_UNDER_WAY'))
  await world.closePaymentWindow(purchase)
  await silent.untilStatus(purchase, 'ended')
  expect(await world.read(purchase.purchaseId)).toMatchObject({ endReason: 'expired' })
  await expect(world.hold(buyer, purchase.listingId)).resolves.toMatchObject({ status: 'held' })
})
