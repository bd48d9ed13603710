import { type Case } from '@juicebar/contract/schemas'
import { expect, test } from 'vitest'

import { caseNews, caseTitle } from '../../src/features/cases/open-cases.tsx'

const paid = { seller: 'S', price: 0.4, fee: null, amount: 5, tokenName: 'Apple Juice', explanation: 'What the server says.' } as const
const withFee: Parameters<typeof caseTitle>[0] = { ...paid, fee: { lamports: '10000000', owedTo: 'B' } satisfies Case['fee'] }

test('a case tells its buyer of the fee, its seller only of what came there', () => {
  expect(caseTitle(paid, true)).toBe('0.4 SOL for 5 Apple Juice')
  expect(caseTitle(withFee, false)).toBe('0.4 SOL for 5 Apple Juice')
  expect(caseTitle(withFee, true)).toBe('0.4 SOL and a fee of 0.01 SOL for 5 Apple Juice')
  expect(caseTitle({ ...withFee, seller: null, price: 0 }, true)).toBe('A fee of 0.01 SOL for 5 Apple Juice')
})

test('a case says what the server says, and who owes the fee while the rest is on its way back', () => {
  expect(caseNews(withFee, { isBuyer: true, underWay: false })).toBe('What the server says.')
  expect(caseNews(withFee, { isBuyer: true, underWay: true })).toBe('The refund is on its way. The fee of 0.01 SOL is owed by the studio.')
  expect(caseNews(withFee, { isBuyer: false, underWay: true })).toBe('The refund is on its way.')
  expect(caseNews(paid, { isBuyer: true, underWay: true })).toBe('The refund is on its way.')
})
