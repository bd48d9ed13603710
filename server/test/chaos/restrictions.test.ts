import { describe, expect, it } from 'vitest'

import { type ListingSeen } from '../../chaos/checks/product-record.ts'
import { checkRestrictions, deliveredMeanwhile } from '../../chaos/checks/restrictions.ts'
import { createJournal } from '../../chaos/players/journal.ts'
import { recordOf, soldPurchase } from './product-records.ts'

const at = (time: string) => Date.parse(`2030-01-01T00:00:${time}Z`)
const during = { from: at('01.000'), until: at('02.000') }
const listing: ListingSeen = {
  _id: 'l1',
  seller: 'seller 1',
  tokenType: 'APPLE_JUICE',
  amount: 3,
  status: 'sold',
  createdAt: '2030-01-01T00:00:01.990Z',
}
const record = recordOf({ purchases: [soldPurchase], listings: [listing] })

const journal = createJournal()
journal.holds.set('p1', { items: 2, answeredAt: at('01.600'), story: '' })
journal.acknowledged.listed.set('l1', at('01.999'))

describe('chaos', () => {
  it('reports what was held or listed while the market was paused', () => {
    expect(checkRestrictions([{ wallet: undefined, ...during }], record, journal)).toEqual([
      'purchase p1 was held while the market was paused (2030-01-01T00:00:01.500Z)',
      'listing l1 was created while the market was paused (2030-01-01T00:00:01.990Z)',
    ])
  })

  it('reports what a blocked wallet held or listed, and nobody else', () => {
    const restricted = ['buyer', 'seller 2'].map((wallet) => ({ wallet, ...during }))
    expect(checkRestrictions(restricted, record, journal)).toEqual([
      'purchase p1 was held while buyer was blocked (2030-01-01T00:00:01.500Z)',
    ])
  })

  it.each([
    ['began before the pause', { from: at('01.501'), until: at('03.000') }],
    ['was answered after it', { from: at('01.000'), until: at('01.600') }],
  ])('lets a hold be that %s', (_, pause) => {
    expect(checkRestrictions([{ wallet: undefined, ...pause }], recordOf({ purchases: [soldPurchase] }), journal)).toEqual([])
  })

  it('accuses nobody of a hold whose answer was lost', () => {
    expect(checkRestrictions([{ wallet: undefined, ...during }], record, createJournal())).toEqual([])
  })

  it('counts what was delivered in a pause', () => {
    const later = { from: at('02.000'), until: at('03.000') }
    expect(deliveredMeanwhile([{ wallet: undefined, ...later }], record)).toBe(1)
    expect(deliveredMeanwhile([{ wallet: 'buyer', ...later }], record)).toBe(0)
  })
})
