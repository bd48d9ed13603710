import { type Sale } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { type CaseSeen } from '../../chaos/checks/product-record.ts'
import { checkSales } from '../../chaos/checks/sales.ts'
import { recordOf, soldPurchase } from './product-records.ts'

const settledAt = '2030-01-01T00:00:02.500Z'
const shared = { purchaseId: 'p1', buyer: 'buyer', signature: 'paid', settledAt, reverses: null }
const first: Sale = {
  ...shared,
  saleId: 'p1.1',
  listingId: 'l1',
  seller: 'seller 1',
  tokenType: 'APPLE_JUICE',
  amount: 3,
  lamports: '300',
  fee: { lamports: '7', basisPoints: 250 },
}
const second: Sale = {
  ...shared,
  saleId: 'p1.2',
  listingId: 'l2',
  seller: 'seller 2',
  tokenType: 'GRAPE_SODA',
  amount: 1,
  lamports: '100',
  fee: { lamports: '3', basisPoints: 250 },
}
const reversalOf = (sale: Sale): Sale => ({ ...sale, saleId: `${sale.saleId}.reversed`, reverses: sale.saleId })
const vanished: CaseSeen = {
  caseId: 'c1',
  kind: 'vanished',
  status: 'open',
  purchaseId: 'p1',
  buyer: 'buyer',
  seller: 'seller 1',
  lamports: '300',
  fee: null,
  signature: 'paid',
  refundSignature: null,
}
const record = recordOf({ purchases: [soldPurchase, { ...soldPurchase, purchaseId: 'p2', status: 'held', signature: null }] })
const undone = recordOf({ purchases: [soldPurchase], cases: [vanished] })

function check(kept: Sale[], { fresh = kept, product = record, refusals = [] as string[] } = {}): string[] {
  return checkSales({ kept, fresh, refusals }, product)
}

describe('chaos', () => {
  it('accepts a game that has every item once, and its reversal after it', () => {
    expect(check([first, second])).toEqual([])
    expect(check([second, first, reversalOf(first), reversalOf(second)], { product: undone })).toEqual([])
  })

  it.each([
    ['misses a sale', [first], 'the game has missed 1 sales, such as p1.2:'],
    ['is told of one that was not', [first, second, { ...first, saleId: 'p2.1' }], 'the game was told of 1 sales, such as p2.1:'],
    ['is told twice of one', [first, second, first], 'the game was told twice of 1 sales, such as p1.1'],
    ['is told another amount', [{ ...first, amount: 4 }, second], 'the game was told of 1 sales, such as p1.1: 4 APPLE_JUICE'],
    ['is told another share of the fee', [{ ...first, fee: second.fee }, second], 'the shares of the fee do not add up for 1 sales'],
    ['is told of a reversal that was none', [first, second, reversalOf(second)], 'the game was told of 1 sales, such as p1.2.reversed'],
  ])('reports a game that %s', (_, kept, sentence) => {
    expect(check(kept).join('\n')).toContain(sentence)
  })

  it('reports a reversal that is missing, and one that comes before its sale', () => {
    expect(check([first, second, reversalOf(first)], { product: undone }).join()).toContain(
      'the game has missed 1 sales, such as p1.2.reversed',
    )
    const early = [reversalOf(first), first, second, reversalOf(second)]
    expect(check(early, { product: undone })).toEqual(['the game was told too early of 1 sales, such as p1.1.reversed'])
  })

  it('reports an order that others do not see', () => {
    expect(check([first, second], { fresh: [second, first] })).toEqual([
      'entry 1 of the sales is p1.1 to the game, and p1.2 to whoever begins now',
    ])
    expect(check([first, second], { fresh: [first] })).toHaveLength(1)
  })

  it('reports what the game was refused', () => {
    expect(check([first, second], { refusals: ['409'] })).toEqual(['409'])
  })
})
