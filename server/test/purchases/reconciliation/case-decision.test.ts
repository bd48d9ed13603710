import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type CaseStatus } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'
import { type LandedTransaction, type SignatureStatus } from '../../../src/chain/chain.ts'
import { type PaymentRow } from '../../../src/purchases/payment/payment-store.ts'
import { type PurchaseRow } from '../../../src/purchases/purchase/purchase-store.ts'
import {
  type CaseSnapshot,
  caseStateOf,
  decideCase,
  type DeliveryReading,
  type PreparedRefund,
  type RefundReading,
} from '../../../src/purchases/reconciliation/case-decision.ts'
import { type DueCase } from '../../../src/purchases/reconciliation/reconciliation-store.ts'

const row: DueCase = {
  id: 'case',
  purchaseId: 'purchase',
  kind: 'late',
  status: 'open',
  signature: 'late' as Signature,
  seller: 'Seller' as WalletAddress,
  lamports: lamports(1_000_000n),
  feeLamports: 0n,
  deliverable: true,
  refundReference: 'Refund' as WalletAddress,
  refundExpiryHeight: 400n,
  paymentFinal: false,
  note: null,
  reconcileAt: new Date(0),
  openedAt: new Date(0),
  closedAt: null,
  secondsOpen: 100,
  buyer: 'Buyer' as WalletAddress,
}
// A decision reads nothing else of these.
const purchase = { genesisHash: 'chain' } as PurchaseRow
const payment = { signature: 'refund' as Signature } as PaymentRow
const transaction = { signature: 'refund' as Signature } as LandedTransaction
const free: DeliveryReading = {
  listing: 'free',
  purchase,
  candidate: { signature: row.signature, status: undefined, verdict: { kind: 'pays', referenced: true }, paysAnotherHold: false },
}

const finalized: SignatureStatus = { slot: 120n, commitment: 'finalized', failed: false }
const confirmed: SignatureStatus = { slot: 120n, commitment: 'confirmed', failed: false }

/** The kinds of all actions, and in how many seconds the case is due again. */
function decide(given: Omit<CaseSnapshot, 'row' | 'subject'>): (string | number | null)[] {
  const { actions, nextSeconds } = decideCase({ row, subject: purchase, ...given })
  return [...actions.map(({ kind }) => kind), nextSeconds]
}

const refunding = (changes: Partial<RefundReading>) =>
  decide({ state: 'refunding', refund: { payment, status: undefined, expired: false, landed: undefined, ...changes } })
const refundFinalized = (paysBack: boolean) => refunding({ status: finalized, landed: { slot: 120n, paysBack } })

const open = (prepared: PreparedRefund, delivery?: DeliveryReading) => decide({ state: 'open', prepared, ...(delivery && { delivery }) })
const landed = (recordedElsewhere: boolean, isFinal: boolean): PreparedRefund => {
  return { kind: 'landed', transaction, expiryHeight: 400n, recordedElsewhere, finalized: isFinal }
}

describe('the state of a case', () => {
  it.each<[CaseStatus, string, string]>([
    ['open', 'chain', 'open'],
    ['refunding', 'chain', 'refunding'],
    ['open', 'another', 'chainGone'],
    ['refunding', 'another', 'chainGone'],
    ['delivered', 'another', 'closed'],
    ['refunded', 'chain', 'closed'],
    ['closed', 'chain', 'closed'],
  ])('that is %s on the chain %j is %s', (status, genesisHash, state) => {
    expect(caseStateOf({ ...row, status }, purchase, genesisHash)).toBe(state)
  })
})

describe('what is done for a case', () => {
  it.each<[string, ReturnType<typeof decide>, ReturnType<typeof decide>]>([
    ['it is closed: nothing', decide({ state: 'closed' }), [null]],
    ['its chain is gone: it is closed', decide({ state: 'chainGone' }), ['closeWithChain', null]],

    ['no endpoint knows the refund: it is broadcast', refunding({}), ['broadcast', 2]],
    ['the refund is on its way: nothing', refunding({ status: confirmed }), [2]],
    ['the refund can never land: the case is open again', refunding({ expired: true }), ['reopen', null]],
    ['the refund is finalized, but no endpoint shows it: nothing', refunding({ status: finalized }), [2]],
    ['the refund is finalized: the case is closed', refundFinalized(true), ['closeRefunded', null]],
    ['the refund does not pay back: the case is open again', refundFinalized(false), ['reopen', null]],

    ['a prepared refund may still land: nothing', open({ kind: 'possible' }), [2]],
    ["the seller's wallet sent it by itself: it is recorded", open(landed(false, false)), ['recordRefund', 2]],
    ['it landed in a transaction recorded for something else: it is noted', open(landed(true, false)), ['noteRefunds', 2]],
    ['that transaction is finalized: the case is closed', open(landed(true, true)), ['closeRefundedTogether', 2]],
    ['the prepared refund can no longer land: it is forgotten', open({ kind: 'expired', seen: [] }), ['forgetRefund', 200]],
    ['its reference is named by what is no refund: that is noted', open({ kind: 'unclear', mentions: [] }, free), ['noteRefunds', 200]],

    [
      'its payment may vanish: it is looked at again soon',
      decide({ state: 'open', payment: 'mayVanish', prepared: { kind: 'none' } }),
      [25],
    ],
    [
      'its payment may vanish, and is tried again even sooner',
      decide({ state: 'open', payment: 'mayVanish', prepared: { kind: 'possible' } }),
      [2],
    ],
    [
      'its payment is final: that is noted',
      decide({ state: 'open', payment: 'final', prepared: { kind: 'none' } }),
      ['notePaymentFinal', 200],
    ],
    ['its payment is dropped: it is closed', decide({ state: 'open', payment: 'dropped' }), ['closeDropped', null]],

    ['nothing can be delivered: nothing', open({ kind: 'none' }), [200]],
    ['the listing is gone: only a refund is left', open({ kind: 'none' }, { listing: 'gone' }), ['giveUpDelivery', 200]],
    ['someone holds the listing: nothing', open({ kind: 'none' }, { listing: 'held' }), [15]],
    ['the listing is free: it is delivered', open({ kind: 'none' }, free), ['deliver', 15]],
    [
      'the refund expired and the listing is free: forgotten first, then delivered',
      open({ kind: 'expired', seen: [] }, free),
      ['forgetRefund', 'deliver', 15],
    ],
  ])('%s', (_, decided, expected) => {
    expect(decided).toEqual(expected)
  })

  it('nothing is delivered while a refund may be under way', () => {
    const refunds: PreparedRefund[] = [
      { kind: 'possible' },
      { kind: 'unclear', mentions: [] },
      ...[true, false].flatMap((recordedElsewhere) => [true, false].map((isFinal) => landed(recordedElsewhere, isFinal))),
    ]
    const deliveries: DeliveryReading[] = [{ listing: 'gone' }, { listing: 'held' }, free]
    expect(refunds.flatMap((prepared) => deliveries.flatMap((delivery) => open(prepared, delivery)))).not.toContain('deliver')
  })
})
