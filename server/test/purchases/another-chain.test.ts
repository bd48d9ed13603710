import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { removeListing } from '../../src/listings/remove-listing.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { cancelHold } from '../../src/purchases/hold/cancel-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import { closePaymentWindow, makeDue } from './reconciling.ts'
import {
  chainBut,
  expectAllAddsUp,
  hold,
  list,
  openTradingWorld,
  readPurchase,
  sendByWallet,
  signPayment,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from './trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

const refusal = (code: string) => expect.objectContaining({ code })

describe('on another chain than that of the hold', () => {
  const elsewhere = () => chainBut(world, { genesisHash: async () => 'another chain' })

  it('a payment settles nothing', async () => {
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId, 'wallet')
    const signature = await sendByWallet(world, await signPayment(world, buyer, purchase))
    await expect(confirmPurchase(elsewhere(), buyer.address, listingId, signature)).rejects.toEqual(refusal('PAYMENT_MISMATCH'))
    expect(await confirmPurchase(world.deps, buyer.address, listingId, signature)).toMatchObject({ settled: true })
  })

  it('no payment can be submitted', async () => {
    const purchase = await hold(world, buyer, await list(world, seller))
    const { base64 } = await signPayment(world, buyer, purchase)
    await expect(submitPayment(elsewhere(), buyer.address, purchase.purchaseId, base64)).rejects.toEqual(refusal('HOLD_ENDED'))
    await cancelHold(world.deps, buyer.address, purchase.purchaseId)
  })

  it('a hold that only the server would have paid ends without a cooldown', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'server')
    await closePaymentWindow(world, purchase)
    await makeDue(world, purchase)
    await reconcileOnce(elsewhere())
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'chain_gone' })
  })

  it('a hold ends, and its listing is free', async () => {
    const listingId = await list(world, seller)
    const purchase = await hold(world, buyer, listingId, 'wallet')
    await makeDue(world, purchase)
    await reconcileOnce(elsewhere())
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'ended', endReason: 'chain_gone' })
    expect(await removeListing(world.database, seller.address, listingId)).toMatchObject({ status: 'removed' })
  })

  it('no hold ends because that chain shows no payment', async () => {
    const purchase = await hold(world, buyer, await list(world, seller), 'wallet')
    await sendByWallet(world, await signPayment(world, buyer, purchase))
    await world.connection.pool.query(`update purchases set pay_before = now(), release_height = 0, reconcile_at = now() where id = $1`, [
      purchase.purchaseId,
    ])
    const nothing = { kind: 'part' as const, entries: [], older: undefined, pages: 1 }
    const empty = { endpoint: 'other', signaturesFor: async () => [], history: async () => nothing, statusOf: async () => undefined }
    const deps = chainBut(world, {
      recentSignatures: async () => [],
      finalized: async () => ({ genesisHash: 'another chain', slot: 1_000_000n, height: 1_000_000n, ...empty }),
    })
    await reconcileOnce(deps)
    expect(await readPurchase(world, purchase.purchaseId)).toMatchObject({ status: 'held' })
    await untilStatus(world, purchase.purchaseId, 'settled')
  })
})
