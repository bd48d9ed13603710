import { describe, expect, it } from 'vitest'

import {
  decidePurchase,
  type PurchaseAction,
  type PurchaseState,
  purchaseStateOf,
} from '../../../src/purchases/reconciliation/purchase/purchase-decision.ts'
import { beginSearch } from '../../../src/purchases/reconciliation/purchase/history-search.ts'
import { type DuePurchase } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import {
  held,
  landed,
  payment,
  pays,
  pending,
  seen,
  snapshot,
  unrelated,
  unrelatedConfirmed,
  unrelatedForNow,
  wrong,
} from './purchase-snapshots.ts'

/** An action in a few words. */
function words(action: PurchaseAction): string {
  switch (action.kind) {
    case 'settle':
    case 'ruleOut':
      return `${action.kind} ${action.candidate.signature}`
    case 'endHold':
      return `endHold ${action.because}`
    default:
      return action.kind
  }
}

const decide = (...given: Parameters<typeof snapshot>) => decidePurchase(snapshot(...given)).actions.map(words)

const closedFor = (secondsSinceClosed: number) => ({ purchase: { ...held, status: 'ended' as const, secondsSinceClosed } })

describe('the state of a purchase', () => {
  const of = (changes: Partial<DuePurchase>, genesisHash: string | undefined = 'chain', recorded = false) =>
    purchaseStateOf({ ...held, ...changes }, recorded, genesisHash)

  it.each<[PurchaseState, PurchaseState]>([
    ['windowClosed', of({})],
    ['windowOpen', of({ windowClosed: false })],
    ['windowClosed', of({ serverSends: true }, 'chain', true)],
    ['unsent', of({ serverSends: true })],
    ['unsent', of({ serverSends: true, windowClosed: false, cancelRequested: true })],
    ['windowOpen', of({ serverSends: true, windowClosed: false })],
    ['unsent', of({ serverSends: true }, undefined)],
    ['chainGone', of({ serverSends: true }, 'another')],
    ['chainGone', of({}, 'another')],
    ['awaitingFinality', of({ status: 'settled' })],
    ['finalized', of({ status: 'settled', finalizedAt: new Date(0) })],
    ['ended', of({ status: 'ended' })],
    ['earlierChain', of({ status: 'settled' }, 'another')],
    ['earlierChain', of({ status: 'ended' }, 'another')],
  ])('is %s', (expected, state) => {
    expect(state).toBe(expected)
  })
})

describe('what is done for a purchase', () => {
  it.each<[string, string[], string[]]>([
    ['only the server would have paid: the hold ends', decide('unsent'), ['endHold unsent']],
    ['its local chain was restarted: the hold ends', decide('chainGone'), ['endHold chainGone']],
    ['it is closed and its chain is gone: nothing', decide('earlierChain'), []],
    ['nothing has come yet: nothing', decide('windowOpen'), []],
    ['no endpoint knows the recorded payment: it is broadcast', decide('windowOpen', { payment }), ['broadcast']],
    ['it has only just been broadcast: nothing', decide('windowOpen', { payment: { ...payment, ageSeconds: 1 } }), []],
    ['it was broadcast again the last time: nothing', decide('windowOpen', { payment, purchase: { ...held, reconciliations: 1 } }), []],
    ['it is on its way: nothing', decide('windowOpen', { payment, status: seen('processed') }), []],
    ['it failed, but not for good: nothing', decide('windowOpen', { payment, status: seen('confirmed', true) }), []],
    ['it failed for good: it is void', decide('windowOpen', { payment, status: seen('finalized', true) }), ['voidPayment']],
    ['a payment was found: it settles', decide('windowOpen', { candidates: [pays] }), ['settle candidate pays']],
    [
      'a candidate has landed, but cannot be read yet: it is recorded as confirmed',
      decide('windowOpen', { candidates: [landed] }),
      ['settle candidate pending'],
    ],
    ['a wrong payment was found: it becomes a case', decide('windowOpen', { candidates: [wrong] }), ['settle candidate wrong']],
    [
      'an unrelated candidate is finalized: it is ruled out',
      decide('windowOpen', { candidates: [unrelated] }),
      ['ruleOut candidate unrelated'],
    ],
    ['an unrelated candidate may yet change: it is kept', decide('windowOpen', { candidates: [unrelatedForNow, unrelatedConfirmed] }), []],
    [
      'the window has just closed: the release height is kept',
      decide('windowClosed', { purchase: { ...held, releaseHeight: null }, releaseHeight: 500n }),
      ['setReleaseHeight'],
    ],
    ['the release height is not finalized yet: nothing', decide('windowClosed'), []],
    ['the chain proves that nothing came: the hold ends', decide('windowClosed', { finalizedSearched: true }), ['endHold unpaid']],
    [
      'only a wrong payment came: a case, and the hold ends',
      decide('windowClosed', { finalizedSearched: true, candidates: [wrong] }),
      ['settle candidate wrong', 'endHold unpaid'],
    ],
    ['no endpoint can prove it: the state says so', decide('windowClosed', { unprovable: true }), ['markUnprovable']],
    ['that is known: nothing', decide('windowClosed', { unprovable: true, purchase: { ...held, unprovableAt: new Date(0) } }), []],
    [
      'another endpoint may prove it: the state says so',
      decide('windowClosed', { unprovable: false, purchase: { ...held, unprovableAt: new Date(0) } }),
      ['markUnprovable'],
    ],
    [
      'the search has come further: that is saved after what it found',
      decide('windowClosed', { searches: [beginSearch(held.id, 'endpoint', held.buyer)], candidates: [wrong] }),
      ['settle candidate wrong', 'saveSearches'],
    ],
    ['the delivered payment is finalized', decide('awaitingFinality', { payment, status: seen('finalized') }), ['markFinalized']],
    ['the delivered payment is not finalized yet: nothing', decide('awaitingFinality', { payment, status: seen('confirmed') }), []],
    ['no endpoint knows the delivered payment: it is broadcast', decide('awaitingFinality', { payment }), ['broadcast']],
    [
      'the delivered payment failed after all: it is broadcast',
      decide('awaitingFinality', { payment, status: seen('finalized', true) }),
      ['broadcast'],
    ],
    ['it can never land again: a case', decide('awaitingFinality', { payment, paymentExpired: true }), ['openVanishedCase']],
    ['a second payment came: a case', decide('finalized', { candidates: [pays] }), ['settle candidate pays']],
    ['a late payment came: it settles, or becomes a case', decide('ended', { candidates: [pays] }), ['settle candidate pays']],
  ])('%s', (_, actions, expected) => {
    expect(actions).toEqual(expected)
  })

  it.each([
    ['a hold whose payment is recorded', snapshot('windowOpen', { payment }), 1],
    ['a new hold whose payment may come', snapshot('windowOpen', { purchase: { ...held, ageSeconds: 2, secondsToPay: 58 } }), 4],
    ['an older hold whose payment may come', snapshot('windowOpen'), 15],
    ['a hold that only the studio can end', snapshot('windowClosed', { unprovable: true }), 60],
    ['a hold whose search goes on', snapshot('windowClosed', { searches: [beginSearch(held.id, 'endpoint', held.buyer)] }), 1],
    ['a delivery that is not finalized', snapshot('awaitingFinality', { payment, status: seen('confirmed') }), 4],
    ['an ended hold', snapshot('ended', closedFor(100)), 200],
    ['an ended hold with a candidate that may yet pay', snapshot('ended', { ...closedFor(100), candidates: [pending] }), 10],
    ['an ended hold with a candidate that was not read', snapshot('ended', { ...closedFor(100), allRead: false }), 10],
    ['an old ended hold', snapshot('ended', closedFor(700_000)), null],
  ])('%s is due again in time', (_, given, seconds) => {
    expect(decidePurchase(given).nextSeconds).toBe(seconds)
  })
})
