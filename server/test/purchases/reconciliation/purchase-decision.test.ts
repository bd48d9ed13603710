import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { type Commitment, type SignatureStatus } from '../../../src/chain/chain.ts'
import { type PaymentRow } from '../../../src/purchases/payment/payment-store.ts'
import {
  decidePurchase,
  type PurchaseAction,
  type PurchaseSnapshot,
  type PurchaseState,
  purchaseStateOf,
} from '../../../src/purchases/reconciliation/purchase/purchase-decision.ts'
import { type DuePurchase } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { type CandidateVerdict, type VerifiedCandidate } from '../../../src/purchases/settlement/candidate.ts'

const held: DuePurchase = {
  id: 'purchase',
  listingId: 'listing',
  buyer: 'Buyer' as WalletAddress,
  seller: 'Seller' as WalletAddress,
  tokenType: 'APPLE_JUICE',
  amount: 1n,
  priceLamports: lamports(1_000_000n),
  reference: 'Reference' as WalletAddress,
  genesisHash: 'chain',
  heldAtSlot: 100n,
  serverSends: false,
  payBefore: new Date(0),
  cancelRequested: false,
  status: 'held',
  endReason: null,
  signature: null,
  releaseHeight: 500n,
  reconcileAt: new Date(0),
  reconciledAt: null,
  reconciliations: 0,
  buyerScans: 0,
  createdAt: new Date(0),
  settledAt: null,
  endedAt: null,
  finalizedAt: null,
  windowClosed: true,
  ageSeconds: 100,
  secondsSinceClosed: 0,
}

const payment: PaymentRow = {
  signature: 'recorded' as Signature,
  kind: 'purchase',
  purchaseId: held.id,
  caseId: null,
  genesisHash: 'chain',
  transactionBytes: Buffer.alloc(0),
  expiryHeight: 400n,
  status: 'recorded',
  confirmedAt: null,
  slot: null,
  createdAt: new Date(0),
}

const seen = (commitment: Commitment, failed = false): SignatureStatus => ({ slot: 120n, commitment, failed })

/** A candidate whose verdict fits its status. */
function candidate(verdict: CandidateVerdict, commitment: Commitment = 'finalized'): VerifiedCandidate {
  const status = verdict.kind === 'pending' && verdict.landedAt === undefined ? undefined : seen(commitment, verdict.kind === 'failed')
  return { signature: `candidate ${verdict.kind}` as Signature, status, verdict, paysAnotherHold: false }
}

const pays = candidate({ kind: 'pays', referenced: true })
const wrong = candidate({ kind: 'wrong', referenced: true, lamports: 1n, referencedLamports: 1n, reason: 'too little' })
const pending = candidate({ kind: 'pending' })
const landed = candidate({ kind: 'pending', landedAt: 120n }, 'confirmed')
const failed = candidate({ kind: 'failed' })
const unrelated = candidate({ kind: 'unrelated', reason: 'other', permanent: true })
const unrelatedForNow = candidate({ kind: 'unrelated', reason: 'other', permanent: false })
const unrelatedConfirmed = candidate({ kind: 'unrelated', reason: 'other', permanent: true }, 'confirmed')
const everyCandidate = [pays, wrong, pending, landed, failed, unrelated, unrelatedForNow, unrelatedConfirmed]

function snapshot(state: PurchaseState, changes: Partial<PurchaseSnapshot> = {}): PurchaseSnapshot {
  return {
    purchase: held,
    state,
    payment: undefined,
    status: undefined,
    paymentExpired: false,
    candidates: [],
    allRead: true,
    scannedBuyer: false,
    releaseHeight: undefined,
    finalizedSearched: false,
    ...changes,
  }
}

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
    ['nobody has seen the recorded payment: it is broadcast', decide('windowOpen', { payment }), ['broadcast']],
    ['it is on its way: nothing', decide('windowOpen', { payment, status: seen('processed') }), []],
    ['it failed, but not for good: nothing', decide('windowOpen', { payment, status: seen('confirmed', true) }), []],
    ['it failed for good: it is void', decide('windowOpen', { payment, status: seen('finalized', true) }), ['voidPayment']],
    ['a payment was found: it settles', decide('windowOpen', { candidates: [pays] }), ['settle candidate pays']],
    ['one landed that does not count yet: it is noted', decide('windowOpen', { candidates: [landed] }), ['settle candidate pending']],
    ['a wrong payment was found: it becomes a case', decide('windowOpen', { candidates: [wrong] }), ['settle candidate wrong']],
    ['one of no use is final: it is ruled out', decide('windowOpen', { candidates: [unrelated] }), ['ruleOut candidate unrelated']],
    ['one of no use may become of use: it stays', decide('windowOpen', { candidates: [unrelatedForNow, unrelatedConfirmed] }), []],
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
    ['the delivered payment is finalized', decide('awaitingFinality', { payment, status: seen('finalized') }), ['markFinalized']],
    ['the delivered payment is not finalized yet: nothing', decide('awaitingFinality', { payment, status: seen('confirmed') }), []],
    ['the chain has lost the delivered payment: it is broadcast', decide('awaitingFinality', { payment }), ['broadcast']],
    ['the chain has undone it: it is broadcast', decide('awaitingFinality', { payment, status: seen('finalized', true) }), ['broadcast']],
    ['it can never land again: a case', decide('awaitingFinality', { payment, paymentExpired: true }), ['openVanishedCase']],
    ['a second payment came: a case', decide('finalized', { candidates: [pays] }), ['settle candidate pays']],
    ['a late payment came: it settles, or becomes a case', decide('ended', { candidates: [pays] }), ['settle candidate pays']],
  ])('%s', (_, actions, expected) => {
    expect(actions).toEqual(expected)
  })

  it.each([
    ['a hold whose payment is recorded', snapshot('windowOpen', { payment }), 1],
    ['a hold whose payment may come', snapshot('windowOpen'), 2],
    ['a delivery that is not finalized', snapshot('awaitingFinality', { payment, status: seen('confirmed') }), 4],
    ['an ended hold', snapshot('ended', closedFor(100)), 200],
    ['an ended hold with a candidate that may yet pay', snapshot('ended', { ...closedFor(100), candidates: [pending] }), 10],
    ['an ended hold with a candidate that was not read', snapshot('ended', { ...closedFor(100), allRead: false }), 10],
    ['an old ended hold', snapshot('ended', closedFor(700_000)), null],
  ])('%s is due again in time', (_, given, seconds) => {
    expect(decidePurchase(given).nextSeconds).toBe(seconds)
  })
})

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
          for (const flags of Array.from({ length: 16 }, (_, bits) => bits))
            yield snapshot(state, {
              payment: recorded,
              status,
              candidates,
              allRead: (flags & 1) > 0,
              finalizedSearched: (flags & 2) > 0,
              paymentExpired: (flags & 4) > 0,
              purchase: { ...held, releaseHeight: (flags & 8) > 0 ? 500n : null },
              releaseHeight: (flags & 8) > 0 ? undefined : 500n,
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

  it('a payment that was found is used in every state that can use it', () => {
    const unused = all.filter(({ given, decision }) => {
      const canUse = ['windowOpen', 'windowClosed', 'finalized', 'ended'].includes(given.state)
      const settles = decision.actions.some((action) => action.kind === 'settle' && action.candidate === pays)
      return canUse && given.candidates.includes(pays) && !settles
    })
    expect(unused).toEqual([])
  })

  it('no candidate that may yet pay is ruled out', () => {
    const ruledOut = all.flatMap(({ decision }) =>
      decision.actions.flatMap((action) => (action.kind === 'ruleOut' ? [action.candidate] : [])),
    )
    expect(new Set(ruledOut)).toEqual(new Set([failed, unrelated]))
  })

  it('a delivery is final only when its payment is finalized, and vanished only when it can never land again', () => {
    const tooEarly = doing('markFinalized').filter(({ given: { status } }) => status?.commitment !== 'finalized' || status.failed)
    const alive = doing('openVanishedCase').filter(({ given }) => !given.paymentExpired || given.status?.failed === false)
    expect([...tooEarly, ...alive]).toEqual([])
    expect(doing('markFinalized').length * doing('openVanishedCase').length).toBeGreaterThan(0)
  })

  it('a payment is void only when it failed for good', () => {
    const tooEarly = doing('voidPayment').filter(({ given: { status } }) => !(status?.failed === true && status.commitment === 'finalized'))
    expect(tooEarly).toEqual([])
  })

  it('only what nothing can come of any more is never due again', () => {
    const forgotten = all.filter(
      ({ given, decision }) => decision.nextSeconds === null && !['chainGone', 'earlierChain'].includes(given.state),
    )
    expect(forgotten).toEqual([])
  })
})
