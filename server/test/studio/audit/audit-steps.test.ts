import { describe, expect, it } from 'vitest'
import { afterLedger, afterPage, type AuditState, givenUp, type PaymentFinding } from '../../../src/studio/audit/audit.ts'

const verified: PaymentFinding = { kind: 'verified' }
const wrong: PaymentFinding = { kind: 'violation', detail: 'it does not pay' }
const unchecked: PaymentFinding = { kind: 'unchecked', detail: 'no answer' }

const begun: AuditState = {
  part: 'finalized',
  total: 10,
  checked: 0,
  verified: 0,
  earlierChain: 0,
  isClean: true,
  tokens: [],
  purchases: null,
  violations: [],
  violationCount: 0,
  unchecked: [],
  uncheckedCount: 0,
}
const ids = ['a', 'b', 'c']

describe('a step of an audit', () => {
  it.each<[findings: PaymentFinding[], cleanId: string | undefined]>([
    [[verified, verified, verified], 'c'],
    [[verified, { kind: 'earlier chain' }, verified], 'c'],
    [[verified, wrong, verified], 'a'],
    [[verified, unchecked, verified], 'a'],
    [[wrong, verified, verified], undefined],
  ])('moves the watermark up to the first payment that is not clean: %j', (findings, cleanId) => {
    const step = afterPage(begun, ids, findings, false)
    expect(step).toMatchObject({ cleanId, cursor: { after: 'c' }, done: false })
    const next = afterPage(step.state, ids, [verified, verified, verified], true)
    expect(next).toMatchObject({ cleanId: cleanId === 'c' ? 'c' : undefined, done: true })
  })

  it('moves no watermark past payments that are not final', () => {
    const step = afterPage({ ...begun, part: 'unfinalized' }, ids, [verified, wrong, verified], true)
    expect(step).toMatchObject({ cleanId: undefined, cursor: 'start of the part', done: false })
    expect(step.state).toMatchObject({ part: 'finalized', isClean: true, violationCount: 1 })
  })

  it('keeps a hundred findings of each kind and counts them all', () => {
    const many = Array.from({ length: 150 }, () => wrong)
    const { state } = afterPage(begun, many.map(String), many, false)
    expect([state.violations.length, state.violationCount]).toEqual([100, 150])
    expect(givenUp({ ...state, total: 200 }, 'silence').state.unchecked).toEqual(['50 payments: silence'])
  })

  it('counts a token that does not add up', () => {
    const token = { tokenType: 'APPLE_JUICE', credited: 5, debited: 0, inWallets: 4, inListings: 0, balanced: false } as const
    const ledger = { tokens: [token], purchases: { held: 0, settled: 0, ended: 0, openCases: 0, revenue: '0' }, violations: [] }
    const step = afterLedger({ ...begun, part: 'ledger' }, ledger)
    expect(step.state).toMatchObject({ part: 'unfinalized', violationCount: 1, violations: [{ invariant: 'I1' }] })
  })
})
