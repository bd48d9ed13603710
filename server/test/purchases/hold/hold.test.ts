import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { cooldownMinutes, requireBuyable, requireRoomForHold, solNeeded } from '../../../src/purchases/hold/hold.ts'

const seller = 'Seller' as WalletAddress
const buyer = 'Buyer' as WalletAddress
const listing = { seller, status: 'active', heldBy: null }

describe('the rules of a hold', () => {
  it('allow an active listing of someone else', () => {
    expect(() => requireBuyable(listing, buyer)).not.toThrow()
  })

  it.each([
    [{ ...listing, seller: buyer }, 'OWN_LISTING'],
    [{ ...listing, status: 'sold' }, 'LISTING_NOT_ACTIVE'],
    [{ ...listing, status: 'removed' }, 'LISTING_NOT_ACTIVE'],
    [{ ...listing, heldBy: 'other' }, 'LISTING_HELD'],
  ])('refuse %o with %s', (refused, code) => {
    expect(() => requireBuyable(refused, buyer)).toThrow(expect.objectContaining({ code }))
  })

  it('allow three holds, and no two whose payments could not be told apart', () => {
    const open = (priceLamports: bigint, of = seller) => ({ seller: of, priceLamports })
    expect(() => requireRoomForHold([open(1n), open(2n)], open(3n))).not.toThrow()
    expect(() => requireRoomForHold([open(1n), open(2n), open(3n)], open(4n))).toThrow(expect.objectContaining({ code: 'TOO_MANY_HOLDS' }))
    expect(() => requireRoomForHold([open(1n)], open(1n))).toThrow(expect.objectContaining({ code: 'AMBIGUOUS_HOLD' }))
    expect(() => requireRoomForHold([open(1n)], open(1n, buyer))).not.toThrow()
  })

  it('require SOL for the prices, a fee each, the reserve and the rent', () => {
    expect(solNeeded([10n, 20n], lamports(890_880n))).toBe(30n + 2n * 5_000n + 100_000n + 890_880n)
  })

  it('double the cooldown with every lapse, up to a day', () => {
    expect([0, 1, 2, 3, 4, 9, 50].map(cooldownMinutes)).toEqual([10, 10, 20, 40, 80, 1440, 1440])
  })
})
