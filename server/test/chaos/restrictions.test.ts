import { describe, expect, it } from 'vitest'

import { type ListingSeen } from '../../chaos/checks/product-record.ts'
import { checkRestrictions, deliveredMeanwhile } from '../../chaos/checks/restrictions.ts'
import { recordOf, soldPurchase } from './product-records.ts'

const at = (time: string) => Date.parse(`2030-01-01T00:00:${time}Z`)
const during = { from: at('01.000'), until: at('02.000') }
const listing: ListingSeen = {
  _id: 'l1',
  seller: 'seller 1',
  tokenType: 'APPLE_JUICE',
  amount: 3,
  status: 'sold',
  createdAt: '2030-01-01T00:00:01.999Z',
}
const record = recordOf({ purchases: [soldPurchase], listings: [listing] })

describe('chaos', () => {
  it('reports what was held or listed while the market was paused', () => {
    expect(checkRestrictions([{ wallet: undefined, ...during }], record)).toEqual([
      'purchase p1 was held while the market was paused (2030-01-01T00:00:01.500Z)',
      'listing l1 was created while the market was paused (2030-01-01T00:00:01.999Z)',
    ])
  })

  it('reports what a blocked wallet held or listed, and nobody else', () => {
    const restricted = ['buyer', 'seller 2'].map((wallet) => ({ wallet, ...during }))
    expect(checkRestrictions(restricted, record)).toEqual(['purchase p1 was held while buyer was blocked (2030-01-01T00:00:01.500Z)'])
  })

  it('lets hold and list who is restricted before or after that', () => {
    const restricted = [
      { wallet: undefined, from: at('00.000'), until: at('01.500') },
      { wallet: undefined, from: at('02.000'), until: at('03.000') },
    ]
    expect(checkRestrictions(restricted, record)).toEqual([])
  })

  it('lets a part be split off a listing in a pause, for a payment that came late', () => {
    const part = { ...listing, partOf: 'l0' }
    expect(checkRestrictions([{ wallet: undefined, ...during }], recordOf({ listings: [part] }))).toEqual([])
  })

  it('counts what was delivered in a pause', () => {
    const later = { from: at('02.000'), until: at('03.000') }
    expect(deliveredMeanwhile([{ wallet: undefined, ...later }], record)).toBe(1)
    expect(deliveredMeanwhile([{ wallet: 'buyer', ...later }], record)).toBe(0)
  })
})
