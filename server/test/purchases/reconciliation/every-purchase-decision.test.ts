import { describe, expect, it } from 'vitest'

import {
  decidePurchase,
  type PurchaseAction,
  type PurchaseSnapshot,
  type PurchaseState,
} from '../../../src/purchases/reconciliation/purchase/purchase-decision.ts'
import { beginSearch } from '../../../src/purchases/reconciliation/purchase/history-search.ts'
import { everyCandidate, failed, held, payment, pays, seen, snapshot, unrelated } from './purchase-snapshots.ts'

/** Every snapshot that differs in what a decision can depend on, with up to two candidates. */
function* everySnapshot(): Generator<PurchaseSnapshot> {
  const states: PurchaseState[] = [
    'unsent',
    'chainGone',
    'windowOpen',
    'windowClosed',
    'awaitingFinality',
    'finalized',
    'ended',
    'earlierChain',
  ]
  const statuses = [undefined, seen('processed'), seen('confirmed'), seen('finalized'), seen('confirmed', true), seen('finalized', true)]
  const pairs = [[], ...everyCandidate.map((one) => [one]), ...everyCandidate.flatMap((one) => everyCandidate.map((other) => [one, other]))]
  for (const state of states)
    for (const recorded of state === 'awaitingFinality' ? [payment] : [undefined, payment])
      for (const status of recorded ? statuses : [undefined])
        for (const candidates of pairs)
          for (const flags of Array.from({ length: 64 }, (_, bits) => bits))
            yield snapshot(state, {
              payment: recorded,
              status,
              candidates,
              allRead: (flags & 1) > 0,
              finalizedSearched: (flags & 2) > 0,
              paymentExpired: (flags & 4) > 0,
              purchase: { ...held, releaseHeight: (flags & 8) > 0 ? 500n : null, unprovableAt: (flags & 16) > 0 ? new Date(0) : null },
              releaseHeight: (flags & 8) > 0 ? undefined : 500n,
              searches: (flags & 2) > 0 ? [] : [beginSearch(held.id, 'endpoint', held.buyer)],
              unprovable: (flags & 32) > 0 ? (flags & 2) === 0 : undefined,
            })
}

describe('in every state, whatever the chain shows', () => {
  const all = [...everySnapshot()].map((given) => ({ given, decision: decidePurchase(given) }))
  const doing = (kind: PurchaseAction['kind']) => all.filter(({ decision }) => decision.actions.some((action) => action.kind === kind))

  it('a hold that a wallet may have paid ends on proof alone', () => {
    const unproved = doing('endHold').filter(({ given, decision }) => {
      const { state, allRead, finalizedSearched, purchase, candidates } = given
      const mayPay = candidates.some(({ verdict }) => verdict.kind === 'pays' || verdict.kind === 'pending')
      const proved = allRead && finalizedSearched && purchase.releaseHeight !== null && !mayPay
      return (
        decision.actions.some((action) => action.kind === 'endHold' && action.because === 'unpaid') && !(state === 'windowClosed' && proved)
      )
    })
    expect(unproved).toEqual([])
  })

  it('a hold is marked as unprovable, or no longer, only while it waits for proof and if that is news', () => {
    const wrong = doing('markUnprovable').filter(({ given, decision }) => {
      const ends = decision.actions.some((action) => action.kind === 'endHold')
      const isNews = given.unprovable !== undefined && given.unprovable !== (given.purchase.unprovableAt !== null)
      return ends || !isNews || given.state !== 'windowClosed' || given.purchase.releaseHeight === null
    })
    expect(wrong).toEqual([])
    expect(doing('markUnprovable').length).toBeGreaterThan(0)
  })

  it('what a search has passed is saved only after everything that it found is dealt with', () => {
    const early = doing('saveSearches').filter(({ decision: { actions } }) => {
      return actions
        .slice(actions.findIndex((action) => action.kind === 'saveSearches') + 1)
        .some((action) => action.kind !== 'markUnprovable')
    })
    expect(early).toEqual([])
    expect(doing('saveSearches').length).toBeGreaterThan(0)
  })

  it('a payment that was found settles in every state in which it can', () => {
    const unsettled = all.filter(({ given, decision }) => {
      const canSettle = ['windowOpen', 'windowClosed', 'finalized', 'ended'].includes(given.state)
      const settles = decision.actions.some((action) => action.kind === 'settle' && action.candidate === pays)
      return canSettle && given.candidates.includes(pays) && !settles
    })
    expect(unsettled).toEqual([])
  })

  it('no candidate that may yet pay is ruled out', () => {
    const ruledOut = all.flatMap(({ decision }) =>
      decision.actions.flatMap((action) => (action.kind === 'ruleOut' ? [action.candidate] : [])),
    )
    expect(new Set(ruledOut)).toEqual(new Set([failed, unrelated]))
  })

  it('a delivery is final only when its payment is finalized, and vanished only when it can never land again', () => {
    const tooEarly = doing('markFinalized').filter(({ given: { status } }) => status?.commitment !== 'finalized' || status.failed)
    const tooSoon = doing('openVanishedCase').filter(({ given }) => !given.paymentExpired || given.status?.failed === false)
    expect([...tooEarly, ...tooSoon]).toEqual([])
    expect(doing('markFinalized').length * doing('openVanishedCase').length).toBeGreaterThan(0)
  })

  it('a payment is void only when it failed for good', () => {
    const tooEarly = doing('voidPayment').filter(({ given: { status } }) => !(status?.failed === true && status.commitment === 'finalized'))
    expect(tooEarly).toEqual([])
  })

  it('a purchase is due again unless its chain is gone', () => {
    const forgotten = all.filter(
      ({ given, decision }) => decision.nextSeconds === null && !['chainGone', 'earlierChain'].includes(given.state),
    )
    expect(forgotten).toEqual([])
  })
})
