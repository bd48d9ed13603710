import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type CaseStatus } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { type LandedTransaction, type SignatureStatus } from '../../../src/chain/chain.ts'
import { type PaymentRow } from '../../../src/purchases/payment/payment-store.ts'
import { type PurchaseRow } from '../../../src/purchases/purchase-store.ts'
import {
  type CaseSnapshot,
  caseStateOf,
  decideCase,
  type DeliveryReading,
  type PreparedRefund,
  type RefundReading,
} from '../../../src/purchases/reconciliation/case/case-decision.ts'
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
const candidate = {
  signature: 'late' as Signature,
  status: undefined,
  verdict: { kind: 'pays', referenced: true },
  paysAnotherHold: false,
} as const

const finalized: SignatureStatus = { slot: 120n, commitment: 'finalized', failed: false }
const confirmed: SignatureStatus = { slot: 120n, commitment: 'confirmed', failed: false }

function refunding(changes: Partial<RefundReading>) {
  return decideCase({
    row,
    purchase,
    state: 'refunding',
    refund: { payment, status: undefined, expired: false, landed: undefined, ...changes },
  })
}

function open(prepared: PreparedRefund, delivery?: DeliveryReading) {
  return decideCase({ row, purchase, state: 'open', prepared, ...(delivery && { delivery }) })
}

const landed = (changes: { recordedElsewhere: boolean; finalized: boolean }) =>
  ({ kind: 'landed', transaction, expiryHeight: 400n, ...changes }) as const

const kinds = ({ actions, nextSeconds }: ReturnType<typeof decideCase>) => [...actions.map(({ kind }) => kind), nextSeconds]

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
  it.each<[string, (string | number | null)[], (string | number | null)[]]>([
    ['it is closed: nothing', kinds(decideCase({ row, purchase, state: 'closed' })), [null]],
    ['its chain is gone: it is closed', kinds(decideCase({ row, purchase, state: 'chainGone' })), ['closeWithChain', null]],

    ['no endpoint knows the refund: it is broadcast', kinds(refunding({})), ['broadcast', 2]],
    ['the refund is on its way: nothing', kinds(refunding({ status: confirmed })), [2]],
    ['the refund can never land: the case is open again', kinds(refunding({ expired: true })), ['reopen', null]],
    ['the refund is finalized, but no endpoint shows it: nothing', kinds(refunding({ status: finalized })), [2]],
    [
      'the refund is finalized: the case is closed',
      kinds(refunding({ status: finalized, landed: { slot: 120n, paysBack: true } })),
      ['closeRefunded', null],
    ],
    [
      'the refund does not pay back: the case is open again',
      kinds(refunding({ status: finalized, landed: { slot: 120n, paysBack: false } })),
      ['reopen', null],
    ],

    ['a prepared refund may still land: nothing', kinds(open({ kind: 'possible' })), [2]],
    [
      "the seller's wallet sent it by itself: it is recorded",
      kinds(open(landed({ recordedElsewhere: false, finalized: false }))),
      ['recordRefund', 2],
    ],
    [
      'it landed in a transaction recorded for something else: nothing yet',
      kinds(open(landed({ recordedElsewhere: true, finalized: false }))),
      [2],
    ],
    [
      'that transaction is finalized: the case is closed',
      kinds(open(landed({ recordedElsewhere: true, finalized: true }))),
      ['closeRefundedTogether', 2],
    ],
    ['the prepared refund can no longer land: it is forgotten', kinds(open({ kind: 'expired' })), ['forgetRefund', 200]],
    ['its reference is named by what is no refund: nothing', kinds(open({ kind: 'unclear' }, { listing: 'free', candidate })), [200]],

    ['nothing can be delivered: nothing', kinds(open({ kind: 'none' })), [200]],
    ['the listing is gone: only a refund is left', kinds(open({ kind: 'none' }, { listing: 'gone' })), ['giveUpDelivery', 200]],
    ['someone holds the listing: nothing', kinds(open({ kind: 'none' }, { listing: 'held' })), [15]],
    ['the listing is free: it is delivered', kinds(open({ kind: 'none' }, { listing: 'free', candidate })), ['deliver', 15]],
    [
      'the refund expired and the listing is free: forgotten first, then delivered',
      kinds(open({ kind: 'expired' }, { listing: 'free', candidate })),
      ['forgetRefund', 'deliver', 15],
    ],
  ])('%s', (_, decided, expected) => {
    expect(decided).toEqual(expected)
  })

  it('nothing is delivered while a refund may be under way', () => {
    const deliveries: DeliveryReading[] = [{ listing: 'gone' }, { listing: 'held' }, { listing: 'free', candidate }]
    const refunds: PreparedRefund[] = [
      { kind: 'possible' },
      { kind: 'unclear' },
      ...[true, false].flatMap((recordedElsewhere) => [true, false].map((final) => landed({ recordedElsewhere, finalized: final }))),
    ]
    const snapshots: CaseSnapshot[] = refunds.flatMap((prepared) =>
      deliveries.map((delivery) => ({ row, purchase, state: 'open' as const, prepared, delivery })),
    )
    expect(snapshots.flatMap((given) => decideCase(given).actions).filter(({ kind }) => kind === 'deliver')).toEqual([])
  })
})
