import { Failure } from '@juicebar/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { placeHold } from '../../../src/purchases/hold/place-hold.ts'
import { cancelHold } from '../../../src/purchases/hold/cancel-hold.ts'
import { chainBut, expectAllAddsUp, hold, list, openTradingWorld, type TradingWorld, type Wallet } from '../trading-world.ts'

let world: TradingWorld
let seller: Wallet
let buyer: Wallet
let price = 10_000_000n

beforeAll(async () => {
  world = await openTradingWorld()
  seller = await world.createWallet()
})

beforeEach(async () => void (buyer = await world.createWallet()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

async function listAnew(): Promise<string> {
  price += 1_000_000n
  return list(world, seller, { price })
}

const down = () => Promise.reject(new Failure('CHAIN_DOWN'))

describe('a lot that cannot be held', () => {
  const expectRefusal = async (listingId: string, code: string, wallet = buyer) => {
    // The chain must not even be asked: whoever asks in vain again and again would use up what it answers.
    const deps = chainBut(world, { genesisHash: down, highestSlot: down, balance: down, rentExemptMinimum: down })
    await expect(placeHold(deps, { buyer: wallet.address, listingId, sendsThrough: 'server' })).rejects.toMatchObject({ code })
  }

  it('is refused without asking the chain', async () => {
    const rival = await world.createWallet()
    const [heldLot, cancelledListing] = [await listAnew(), await listAnew()]
    await hold(world, rival, heldLot)
    await expectRefusal(heldLot, 'LISTING_HELD')
    await expectRefusal(heldLot, 'OWN_LISTING', seller)
    await expectRefusal('018f0000-0000-7000-8000-000000000000', 'LISTING_NOT_FOUND')
    await cancelHold(world.deps, buyer.address, (await hold(world, buyer, cancelledListing)).purchaseId)
    await expectRefusal(cancelledListing, 'COOLDOWN')
    for (let n = 0; n < 3; n++) await hold(world, buyer, await listAnew())
    await expectRefusal(await listAnew(), 'TOO_MANY_HOLDS')
  })

  it('for it has a twin is refused without asking the chain', async () => {
    const [first, twin] = [await list(world, seller, { price: 5_000_000n }), await list(world, seller, { price: 5_000_000n })]
    await hold(world, buyer, first)
    await expectRefusal(twin, 'AMBIGUOUS_HOLD')
  })
})

describe('a lot that the same buyer holds already', () => {
  it('is the same hold, also while the chain is down', async () => {
    const listingId = await listAnew()
    const held = await hold(world, buyer, listingId)
    const deps = chainBut(world, { genesisHash: down, highestSlot: down, balance: down })
    expect(await placeHold(deps, { buyer: buyer.address, listingId, sendsThrough: 'server' })).toBe(held.purchaseId)
  })
})

// Two hundred wallets need SOL first, one airdrop each.
