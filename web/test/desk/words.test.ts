import { describe, expect, it } from 'vitest'

import { casesTotal, difference } from '../../src/desk/cases.tsx'
import { attemptWords, whyNotCompleted } from '../../src/desk/checkouts.tsx'
import { readRule, replaceRule, ruleText } from '../../src/desk/market.tsx'
import { howLong } from '../../src/desk/parts/shown.tsx'
import { auditVerdict } from '../../src/desk/records/audit.tsx'
import { webhookState } from '../../src/desk/webhooks.tsx'

const now = Date.parse('2030-01-31T15:00:00Z')

describe('the rules of a drink', () => {
  const rule = { tokenType: 'APPLE_JUICE', minUnitPrice: 1e-9, maxListingsPerWallet: 0 } as const
  const empty = ruleText(undefined)

  it('are read as they are shown', () => {
    expect(ruleText(rule)).toEqual({ ...empty, minUnitPrice: '0.000000001', maxListingsPerWallet: '0' })
    expect(readRule('APPLE_JUICE', ruleText(rule))).toEqual({ rule })
  })

  it('limit nothing where nothing is typed', () => {
    expect(readRule('APPLE_JUICE', empty)).toEqual({ rule: undefined })
    expect(readRule('APPLE_JUICE', { ...empty, maxUnitPrice: ' 2.5 ' })).toEqual({ rule: { tokenType: 'APPLE_JUICE', maxUnitPrice: 2.5 } })
  })

  it.each(['-1', '1e3', '0.0000000001', 'much', '1,5', '99999999999'])('are refused for a price of %s', (minUnitPrice) => {
    expect(readRule('APPLE_JUICE', { ...empty, minUnitPrice })).toHaveProperty('problem')
  })

  it('are refused where nobody could sell, or a part of a listing is counted', () => {
    expect(readRule('APPLE_JUICE', { ...empty, minUnitPrice: '2', maxUnitPrice: '1' })).toHaveProperty('problem')
    expect(readRule('APPLE_JUICE', { ...empty, maxListingsPerWallet: '1.5' })).toHaveProperty('problem')
  })

  it('leave those of other drinks as they are', () => {
    const grape = { tokenType: 'GRAPE_SODA', maxUnitPrice: 2 } as const
    expect(replaceRule([rule, grape], 'APPLE_JUICE', undefined)).toEqual([grape])
    expect(replaceRule([rule, grape], 'APPLE_JUICE', { tokenType: 'APPLE_JUICE', maxUnitPrice: 1 })).toEqual([
      grape,
      { tokenType: 'APPLE_JUICE', maxUnitPrice: 1 },
    ])
  })
})

describe('an audit', () => {
  const clean = { status: 'done', ok: true, violationCount: 0, uncheckedCount: 0 } as const

  it.each([
    [clean, 'Everything adds up', 'good'],
    [{ ...clean, uncheckedCount: 1 }, 'Not everything could be checked', 'warn'],
    [{ ...clean, ok: false, violationCount: 2, uncheckedCount: 1 }, 'Something does not add up', 'warn'],
    [{ ...clean, status: 'running', ok: null }, 'The audit is under way', 'plain'],
    [{ ...clean, status: 'running', ok: false, violationCount: 1 }, 'Something does not add up', 'warn'],
  ] as const)('%j says %s', (audit, word, tone) => {
    expect(auditVerdict(audit)).toEqual({ word, tone })
  })
})

describe('the cases that are listed', () => {
  const refunded = { status: 'refunded', lamports: '420000000' } as const

  it('say how much was paid back', () => {
    expect(casesTotal([refunded], false)).toBe('1 case: 0.42 SOL paid back')
    expect(casesTotal([refunded, { ...refunded, lamports: '80000001' }], true)).toBe('The latest 2 cases: 0.500000001 SOL paid back')
  })

  it('say how much was received, unless all of it went back', () => {
    expect(casesTotal([refunded, { ...refunded, status: 'open' }], false)).toBe('2 cases: 0.84 SOL received by sellers')
  })
})

describe('a webhook', () => {
  const webhook = { enabled: true, switchedOff: null, failedAttempts: 0, waitingSince: null }

  it.each([
    [webhook, 'Up to date', 'good'],
    [{ ...webhook, waitingSince: '2030-01-31T14:00:00Z' }, 'Behind', 'warn'],
    [{ ...webhook, waitingSince: '2030-01-31T14:59:59Z', failedAttempts: 3 }, 'Fails', 'warn'],
    [{ ...webhook, enabled: false, switchedOff: 'asked' }, 'Off', 'plain'],
    [{ ...webhook, enabled: false, switchedOff: 'failed' }, 'Off: 10 attempts failed', 'warn'],
  ] as const)('%j is %s', (state, word, tone) => {
    expect(webhookState(state, now)).toEqual({ word, tone })
  })
})

describe('a case', () => {
  it('says how much more or less than agreed the seller received', () => {
    expect(difference({ lamports: '7', agreedLamports: '5' })).toBe(2n)
    expect(difference({ lamports: '4', agreedLamports: '5' })).toBe(-1n)
    expect(difference({ lamports: '4', agreedLamports: null })).toBeUndefined()
  })
})

describe('how long something has lasted', () => {
  it.each([
    ['2030-01-31T14:59:30Z', 'under a minute'],
    ['2030-01-31T14:30:00Z', '30 min'],
    ['2030-01-30T15:00:00Z', '24 h'],
    ['2030-01-28T15:00:00Z', '3 days'],
    ['2030-01-31T15:00:09Z', 'under a minute'],
  ])('since %s: %s', (since, words) => {
    expect(howLong(since, now)).toBe(words)
  })
})

describe('a checkout that is not completed', () => {
  const never = { openedAt: null, attempts: [] }
  const opened = { ...never, openedAt: '2030-01-31T12:00:00.000Z' }
  const attempt = { at: '2030-01-31T12:00:00.000Z', wallet: 'wallet', purchaseId: null }
  const refused = { ...attempt, outcome: 'refused', reason: 'INSUFFICIENT_SOL' } as const
  const unpaid = { ...attempt, outcome: 'unpaid', reason: 'expired' } as const

  it.each([
    ['open', never, 'The player has not opened the page yet.'],
    ['expired', never, 'The player never opened the page.'],
    ['expired', opened, 'The player has opened the page, and did not try to pay.'],
    [
      'paying',
      { ...opened, attempts: [{ ...attempt, outcome: 'paying', reason: null }] },
      'A payment is under way. It completes the checkout as soon as it is delivered.',
    ],
    [
      'open',
      { ...opened, attempts: [refused, unpaid] },
      'The last attempt to pay ended like this: The payment was refused, and no SOL moved: the wallet has too little SOL.',
    ],
    ['expired', { ...opened, attempts: [unpaid] }, 'The last attempt to pay ended like this: It was not paid: payment expired.'],
    ['completed', opened, undefined],
  ] as const)('and is %s says why in one sentence', (status, tries, sentence) => {
    expect(whyNotCompleted({ status }, tries)).toBe(sentence)
  })

  it('names a code that it does not know', () => {
    expect(attemptWords({ outcome: 'refused', reason: 'NEW_CODE' })).toContain('NEW_CODE')
  })
})
