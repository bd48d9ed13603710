import { Failure } from '@juicebar/contract/errors'
import { describe, expect, it } from 'vitest'

import { refusal, useTradingWorld } from '../trading-world.ts'

const world = useTradingWorld()

const down = () => Promise.reject(new Failure('CHAIN_DOWN'))

describe('a hold that would be refused', () => {
  const expectRefusal = async (listingId: string, code: string, wallet = world.buyer) => {
    // Requests to the chain are scarce: nobody may use them up with holds that are refused anyway.
    const unreachable = world.withChain({ genesisHash: down, highestSlot: down, balance: down, rentExemptMinimum: down })
    await expect(unreachable.hold(wallet, listingId)).rejects.toMatchObject({ code })
  }

  it('is refused without asking the chain', async () => {
    const [heldListing, cancelledListing] = [await world.list(), await world.list()]
    await world.hold(world.rival, heldListing)
    await expectRefusal(heldListing, 'LISTING_HELD')
    await expectRefusal(heldListing, 'OWN_LISTING', world.seller)
    await expectRefusal('018f0000-0000-7000-8000-000000000000', 'LISTING_NOT_FOUND')
    for (let n = 0; n < 2; n++) await world.cancel(world.buyer, await world.hold(world.buyer, cancelledListing))
    await expectRefusal(cancelledListing, 'COOLDOWN')
    for (let n = 0; n < 3; n++) await world.holdNew()
    await expectRefusal(await world.list(), 'TOO_MANY_HOLDS')
  })

  it('is refused without asking the chain if it is ambiguous', async () => {
    const price = world.nextPrice()
    await world.hold(world.buyer, await world.list(world.seller, { price }))
    await expectRefusal(await world.list(world.seller, { price }), 'AMBIGUOUS_HOLD')
  })
})

describe('a listing whose holder can no longer pay', () => {
  it('stays held, in cooldown too, until the chain proves that no payment came', async () => {
    const listingId = await world.list()
    for (let n = 0; n < 2; n++) await world.cancel(world.buyer, await world.hold(world.buyer, listingId))
    await world.closePaymentWindow(await world.hold(world.rival, listingId, 'wallet'))
    await expect(world.hold(world.buyer, listingId)).rejects.toEqual(refusal('LISTING_HELD'))
  })
})

describe('a listing that the same buyer already holds', () => {
  it('returns the same hold, even while the chain is down', async () => {
    const listingId = await world.list()
    const held = await world.hold(world.buyer, listingId)
    const unreachable = world.withChain({ genesisHash: down, highestSlot: down, balance: down })
    expect(await unreachable.hold(world.buyer, listingId)).toMatchObject({ purchaseId: held.purchaseId })
  })
})
