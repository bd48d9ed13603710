import { describe, expect, it } from 'vitest'
import { correctedSlot } from '../../../src/purchases/purchase/purchase.ts'
import {
  decidePurchase,
  type PurchaseAction,
  type PurchaseSnapshot,
  type PurchaseState,
  purchaseStateOf,
} from '../../../src/purchases/reconciliation/purchase-decision.ts'
import { beginSearch } from '../../../src/purchases/reconciliation/history-search.ts'
import { type DuePurchase } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import {
  everyCandidate,
  failed,
  held,
  landed,
  payment,
  pays,
  pending,
  seen,
  snapshot,
  unrelated,
  unrelatedConfirmed,
  unreferenced,
  unrelatedForNow,
  wrong,
} from './purchase-snapshots.ts'

/** An action in a few words. */
function words(action: PurchaseAction): string {
  if (action.kind === 'endHold') return `endHold ${action.because}`
  if (action.kind === 'replacePayment') return `replacePayment ${action.candidates.map(({ signature }) => signature).join(', ')}`
  return 'candidate' in action ? `${action.kind} ${action.candidate.signature}` : action.kind
}

const decide = (...given: Parameters<typeof snapshot>) => {
  const { actions, finalized } = decidePurchase(snapshot(...given))
  return [...actions.map(words), ...(finalized ? ['finalized'] : [])]
}

const closedFor = (secondsSinceClosed: number) => ({ purchase: { ...held, status: 'ended' as const, secondsSinceClosed } })

describe('the state of a purchase', () => {
  const of = (changes: Partial<DuePurchase>, genesisHash = 'chain') => purchaseStateOf({ ...held, ...changes }, genesisHash)

  it.each<[PurchaseState, PurchaseState]>([
    ['windowClosed', of({})],
    ['windowOpen', of({ windowClosed: false })],
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
  const old = { ...payment, ageSeconds: 60 }
  const ahead = { ...held, status: 'settled' as const, secondsSinceClosed: 0, heldAtSlot: 2_000_000n }
  const lowered = ['lowerExpiryHeight', 'broadcast']
  const blind = { searches: [beginSearch(held.id, 'endpoint', held.reference)], unprovable: true }
  const unproved = ['saveSearches', 'markUnprovable']
  it.each<[string, string[], string[]]>([
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
    [
      'the release height is too high: it comes down',
      decide('windowClosed', { releaseHeight: 400n, finalizedSearched: true }),
      ['setReleaseHeight'],
    ],
    [
      'the slot of the hold is above the chain: it comes down before anything is proved',
      decide('windowClosed', { heldAtSlot: 90n, finalizedSearched: true }),
      ['lowerHeldAtSlot'],
    ],
    ['a reserved payment would expire too late: its height comes down', decide('reserved', { payment: old, expiryHeight: 300n }), lowered],
    ['no endpoint can show copies of a reserved payment: the state says so', decide('reserved', { payment: old, ...blind }), unproved],
    [
      'a reserved payment is overdue and its wallet empty: that is kept',
      decide('reserved', { payment: { ...payment, ageSeconds: 20 }, unfunded: true }),
      ['noteUnfunded', 'broadcast'],
    ],
    ['a reservation has ended since it was leased: nothing', decide('reserved'), []],
    ['a reserved payment can land no more: it ends', decide('reserved', { payment: old, paymentExpired: true }), ['endHold unpaid']],
    ['the delivered payment is finalized', decide('awaitingFinality', { payment, status: seen('finalized') }), ['finalized']],
    [
      'the slot of its hold was far above the chain: it comes down',
      decide('awaitingFinality', { payment, status: seen('finalized'), purchase: ahead, heldAtSlot: 90n }),
      ['lowerHeldAtSlot', 'finalized'],
    ],
    [
      'the slot of its hold is far above its payment, and not yet known to be wrong: nothing',
      decide('awaitingFinality', { payment, status: seen('finalized'), purchase: ahead }),
      [],
    ],
    [
      'that has been so for long: an audit says so',
      decide('awaitingFinality', { payment, status: seen('finalized'), purchase: { ...ahead, secondsSinceClosed: 900 } }),
      ['finalized'],
    ],
    ['the delivered payment is not finalized yet: nothing', decide('awaitingFinality', { payment, status: seen('confirmed') }), []],
    ['no endpoint knows the delivered payment: it is broadcast', decide('awaitingFinality', { payment }), ['broadcast']],
    [
      'the delivered payment failed after all: it is broadcast',
      decide('awaitingFinality', { payment, status: seen('finalized', true) }),
      ['broadcast'],
    ],
    ['it can never land again: a case', decide('awaitingFinality', { payment, paymentExpired: true }), ['openVanishedCase']],
    [
      'another one counts instead',
      decide('awaitingFinality', { payment, paymentExpired: true, candidates: [landed, unreferenced, pays] }),
      ['replacePayment candidate pays, candidate pays without a reference', 'settle candidate pending'],
    ],
    [
      'another one that carries no reference counts instead',
      decide('awaitingFinality', { payment, paymentExpired: true, candidates: [unreferenced] }),
      ['replacePayment candidate pays without a reference'],
    ],
    [
      'another one pays for another hold: a case',
      decide('awaitingFinality', { payment, paymentExpired: true, candidates: [{ ...unreferenced, paysAnotherHold: true }] }),
      ['openVanishedCase', 'settle candidate pays without a reference'],
    ],
    ['another one may yet count: nothing', decide('awaitingFinality', { payment, paymentExpired: true, candidates: [pending] }), []],
    [
      'what may be another one was not read: what was read makes room for it',
      decide('awaitingFinality', { payment, paymentExpired: true, allRead: false, candidates: [unrelated, wrong] }),
      ['ruleOut candidate unrelated', 'settle candidate wrong'],
    ],
    [
      'that has been so for long: a case',
      decide('awaitingFinality', { payment, paymentExpired: true, candidates: [pending], othersHadTime: true }),
      ['openVanishedCase'],
    ],
    ['a second payment came: a case', decide('finalized', { candidates: [pays] }), ['settle candidate pays']],
    ['a late payment came: it settles, or becomes a case', decide('ended', { candidates: [pays] }), ['settle candidate pays']],
  ])('%s', (_, actions, expected) => {
    expect(actions).toEqual(expected)
  })

  const dropped = { ...closedFor(100), payment, paymentExpired: true, candidates: [pays] }

  it.each([
    ['a hold whose payment is recorded', snapshot('windowOpen', { payment }), 1],
    ['a new hold whose payment may come', snapshot('windowOpen', { purchase: { ...held, ageSeconds: 2, secondsToPay: 58 } }), 4],
    ['an older hold whose payment may come', snapshot('windowOpen'), 15],
    ['a hold that only the studio can end', snapshot('windowClosed', { unprovable: true }), 60],
    ['a reservation that only the studio can end', snapshot('reserved', { payment, unprovable: true }), 60],
    ['a hold whose search goes on', snapshot('windowClosed', { searches: [beginSearch(held.id, 'endpoint', held.buyer)] }), 1],
    ['a hold that waits for its proof', snapshot('windowClosed', { waitsForProof: true }), 4],
    ['a delivery that is not finalized', snapshot('awaitingFinality', { payment, status: seen('confirmed') }), 4],
    ['an ended hold', snapshot('ended', closedFor(100)), 200],
    ['a dropped payment whose time is over', snapshot('awaitingFinality', { ...dropped, othersHadTime: true }), 200],
    ['a dropped payment in whose place more may come', snapshot('awaitingFinality', dropped), 10],
    ['an ended hold with a candidate that may yet pay', snapshot('ended', { ...closedFor(100), candidates: [pending] }), 10],
    ['an ended hold with a candidate that was not read', snapshot('ended', { ...closedFor(100), allRead: false }), 10],
    ['an old ended hold', snapshot('ended', closedFor(700_000)), null],
  ])('%s is due again in time', (_, given, seconds) => {
    expect(decidePurchase(given).nextSeconds).toBe(seconds)
  })
})

/** Every snapshot that differs in what a decision can depend on, with up to two candidates. */
function* everySnapshot(): Generator<PurchaseSnapshot> {
  const inWindow: PurchaseState[] = ['chainGone', 'windowOpen', 'windowClosed']
  const states: PurchaseState[] = [...inWindow, 'awaitingFinality', 'finalized', 'ended', 'earlierChain']
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
              othersHadTime: (flags & 2) > 0,
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
      const proved = state === 'windowClosed' && allRead && finalizedSearched && purchase.releaseHeight !== null && !mayPay
      return !proved && decision.actions.map(words).includes('endHold unpaid')
    })
    expect(unproved).toEqual([])
  })

  it('a hold is marked as unprovable, or no longer, only while it waits for proof and if that is news', () => {
    const wrong = doing('markUnprovable').filter(({ given, decision }) => {
      const { state, purchase, unprovable } = given
      const ends = decision.actions.some(({ kind }) => kind === 'endHold')
      const isNews = unprovable !== undefined && unprovable !== (purchase.unprovableAt !== null)
      return ends || !isNews || state !== 'windowClosed' || purchase.releaseHeight === null
    })
    expect(wrong).toEqual([])
    expect(doing('markUnprovable').length).toBeGreaterThan(0)
  })

  it('what a search has passed is saved only after everything that it found is dealt with', () => {
    const early = doing('saveSearches').filter(({ decision }) => {
      const kinds = decision.actions.map(({ kind }) => kind)
      return kinds.slice(kinds.indexOf('saveSearches') + 1).some((kind) => kind !== 'markUnprovable')
    })
    expect(early).toEqual([])
    expect(doing('saveSearches').length).toBeGreaterThan(0)
  })

  it('a payment that was found settles in every state in which it can', () => {
    const unsettled = all.filter(({ given: { state, candidates }, decision }) => {
      const canSettle = ['windowOpen', 'windowClosed', 'finalized', 'ended'].includes(state) && candidates.includes(pays)
      return canSettle && !decision.actions.some((action) => action.kind === 'settle' && action.candidate === pays)
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
    const finalized = all.filter(({ decision }) => decision.finalized)
    const tooEarly = finalized.filter(({ given: { status } }) => status?.commitment !== 'finalized' || status.failed)
    const isFinal = ({ status }: PurchaseSnapshot) => status?.failed === false && status.commitment === 'finalized'
    const mayBeReplaced = ({ allRead, candidates, othersHadTime }: PurchaseSnapshot) =>
      !othersHadTime && (!allRead || candidates.some(({ verdict }) => verdict.kind === 'pending'))
    const tooSoon = doing('openVanishedCase').filter(({ given }) => !given.paymentExpired || isFinal(given) || mayBeReplaced(given))
    expect([...tooEarly, ...tooSoon]).toEqual([])
    expect(finalized.length * doing('openVanishedCase').length).toBeGreaterThan(0)
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

it.each([
  ['the chain has reached it', 1_000n, 60, 1_000n, undefined],
  ['the chain has not reached it', 1_001n, 10, 1_000n, 500n],
  ['the chain began later', 1_000_000n, 60, 1_000n, 0n],
])('the slot of a hold is corrected by the slots that may have passed since: %s', (_, heldAtSlot, ageSeconds, slot, expected) => {
  expect(correctedSlot({ heldAtSlot, ageSeconds }, slot)).toBe(expected)
})
