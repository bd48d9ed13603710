import { describe, expect, it } from 'vitest'
import { makePayLink } from '../../../src/purchases/pay-link/make-pay-link.ts'
import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { type PurchaseSettings } from '../../../src/purchases/purchase/purchase.ts'
import { orderOf, refusal, useTradingWorld } from '../trading-world.ts'

const world = useTradingWorld()

/** The same market with another setting. */
const marketWith = (walletSends: PurchaseSettings['walletSends']) =>
  world.seenWith({ deps: { ...world.deps, settings: { ...world.deps.settings, walletSends } } })

describe('where only the market sends payments', () => {
  it('nothing new is held, and no code to pay by is made', async () => {
    const market = marketWith('off')
    const listingId = await world.list()
    await expect(market.hold(world.buyer, listingId)).rejects.toEqual(refusal('WALLET_SENDS_OFF'))
    const maker = { network: Buffer.alloc(32), wallet: undefined }
    await expect(makePayLink(market.deps, 'https://market.example', listingId, maker)).rejects.toEqual(refusal('WALLET_SENDS_OFF'))
    await world.untilStatus(await market.buyCoSigned(world.buyer, [{ listingId }]), 'settled')
  })

  it('no other refusal is told first', async () => {
    const listingId = await world.list()
    await world.hold(world.rival, listingId)
    await expect(marketWith('off').hold(world.buyer, listingId)).rejects.toEqual(refusal('WALLET_SENDS_OFF'))
  })

  it('what was held before stays payable, and the same order still finds it', async () => {
    const purchase = await world.holdNew()
    const market = marketWith('off')
    expect((await market.hold(world.buyer, purchase.listingId)).purchaseId).toBe(purchase.purchaseId)
    await market.submit(world.buyer, purchase, await world.signPayment(world.buyer, purchase))
    await world.untilStatus(purchase, 'settled')
  })
})

describe('where payments must carry their reference', () => {
  it('a client that does not say that it adds it holds nothing', async () => {
    const { deps } = marketWith('referenced')
    const order = { ...orderOf(world.buyer, [{ listingId: await world.list() }]), paysTransfers: false }
    await expect(placeHold(deps, order)).rejects.toEqual(refusal('REFERENCE_NEEDED'))
  })

  it('a payment without it delivers nothing, and one that its buyer claims is a case', async () => {
    const market = marketWith('referenced')
    const purchase = await market.hold(world.buyer, await world.list())
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    await expect(market.confirm(world.buyer, purchase.listingId, signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await world.expectCase(signature, { kind: 'wrong', purchaseId: purchase.purchaseId })
    await market.payByWallet(world.buyer, purchase)
    await world.untilStatus(purchase, 'settled')
  })

  it('a hold from before the setting changed can be paid as its client knows it', async () => {
    const purchase = await world.hold(world.buyer, await world.list())
    const signature = await world.payByWallet(world.buyer, purchase, { references: [] })
    expect(await marketWith('referenced').confirm(world.buyer, purchase.listingId, signature)).toMatchObject({ settled: true })
  })
})
