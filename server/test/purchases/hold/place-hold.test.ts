import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { closePaymentWindow } from '../reconciling.ts'
import { chainBut, expectAllAddsUp, hold, list, openTradingWorld, type TradingWorld, type Wallet, orderOf } from '../trading-world.ts'

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

const down = () => Promise.reject(new Failure('CHAIN_DOWN'))

describe('a hold that would be refused', () => {
  const expectRefusal = async (listingId: string, code: string, wallet = buyer) => {
    // Requests to the chain are scarce: nobody may use them up with holds that are refused anyway.
    const deps = chainBut(world, { genesisHash: down, highestSlot: down, balance: down, rentExemptMinimum: down })
    await expect(placeHold(deps, orderOf(wallet, [{ listingId }]))).rejects.toMatchObject({ code })
  }

  it('is refused without asking the chain', async () => {
    const rival = await world.createWallet()
    const [heldListing, cancelledListing] = [await list(world, seller), await list(world, seller)]
    await hold(world, rival, heldListing)
    await expectRefusal(heldListing, 'LISTING_HELD')
    await expectRefusal(heldListing, 'OWN_LISTING', seller)
    await expectRefusal('018f0000-0000-7000-8000-000000000000', 'LISTING_NOT_FOUND')
    for (let n = 0; n < 2; n++) await cancelHold(world.deps, buyer.address, (await hold(world, buyer, cancelledListing)).purchaseId)
    await expectRefusal(cancelledListing, 'COOLDOWN')
    for (let n = 0; n < 3; n++) await hold(world, buyer, await list(world, seller))
    await expectRefusal(await list(world, seller), 'TOO_MANY_HOLDS')
  })

  it('is refused without asking the chain if it is ambiguous', async () => {
    const [first, second] = [await list(world, seller, { price: 5_000_000n }), await list(world, seller, { price: 5_000_000n })]
    await hold(world, buyer, first)
    await expectRefusal(second, 'AMBIGUOUS_HOLD')
  })
})

describe('a listing whose holder can no longer pay', () => {
  it('stays held, in cooldown too, until the chain proves that no payment came', async () => {
    const rival = await world.createWallet()
    const listingId = await list(world, seller)
    for (let n = 0; n < 2; n++) await cancelHold(world.deps, buyer.address, (await hold(world, buyer, listingId)).purchaseId)
    await closePaymentWindow(world, await hold(world, rival, listingId, 'wallet'))
    await expect(placeHold(world.deps, orderOf(buyer, [{ listingId }]))).rejects.toMatchObject({
      code: 'LISTING_HELD',
    })
  })
})

describe('a listing that the same buyer already holds', () => {
  it('returns the same hold, even while the chain is down', async () => {
    const listingId = await list(world, seller)
    const held = await hold(world, buyer, listingId)
    const deps = chainBut(world, { genesisHash: down, highestSlot: down, balance: down })
    expect(await placeHold(deps, orderOf(buyer, [{ listingId }]))).toMatchObject({ id: held.purchaseId })
  })
})
