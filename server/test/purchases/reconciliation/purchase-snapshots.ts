import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type Commitment, type SignatureStatus } from '../../../src/chain/chain.ts'
import { type PurchaseSnapshot, type PurchaseState } from '../../../src/purchases/reconciliation/purchase-decision.ts'
import { type CurrentPayment, type DuePurchase } from '../../../src/purchases/reconciliation/reconciliation-store.ts'
import { type CandidateVerdict, type VerifiedCandidate } from '../../../src/purchases/settlement/candidate.ts'

export const held: DuePurchase = {
  id: 'purchase',
  buyer: 'Buyer' as WalletAddress,
  sellers: ['Seller' as WalletAddress],
  items: [
    { listingId: 'listing', partOf: null, seller: 'Seller' as WalletAddress, tokenType: 'APPLE_JUICE', amount: 1, lamports: '1000000' },
  ],
  feeBasisPoints: 0,
  feeLamports: 0n,
  feeWallet: null,
  priceLamports: lamports(1_000_000n),
  reference: 'Reference' as WalletAddress,
  genesisHash: 'chain',
  heldAtSlot: 100n,
  serverSends: false,
  coSigned: false,
  needsReference: false,
  payBefore: new Date(0),
  cancelRequested: false,
  status: 'held',
  endReason: null,
  signature: null,
  releaseHeight: 500n,
  reconcileAt: new Date(0),
  reconciliations: 0,
  buyerScans: 0,
  createdAt: new Date(0),
  settledAt: null,
  finalizedAt: null,
  unprovableAt: null,
  releaseReason: null,
  windowClosed: true,
  leasedAt: new Date(0),
  ageSeconds: 100,
  secondsToPay: -40,
  secondsSinceClosed: 0,
  lastLeasedAt: null,
  decidedTo: null,
  listedTo: null,
}

export const payment: CurrentPayment = {
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
  messageHash: null,
  createdAt: new Date(0),
  ageSeconds: 10,
}

export const seen = (commitment: Commitment, failed = false): SignatureStatus => ({ slot: 120n, commitment, failed })

/** A candidate whose verdict fits its status. */
function candidate(verdict: CandidateVerdict, commitment: Commitment = 'finalized'): VerifiedCandidate {
  const status = verdict.kind === 'pending' && verdict.landedAt === undefined ? undefined : seen(commitment, verdict.kind === 'failed')
  return { signature: `candidate ${verdict.kind}` as Signature, status, verdict, paysAnotherHold: false }
}

export const pays = candidate({ kind: 'pays', referenced: true })
export const unreferenced = {
  ...candidate({ kind: 'pays', referenced: false }),
  signature: 'candidate pays without a reference' as Signature,
}
export const wrong = candidate({
  kind: 'wrong',
  referenced: true,
  received: [],
  reason: 'too little',
  complete: false,
  paidPurchase: undefined,
})
export const pending = candidate({ kind: 'pending' })
export const landed = candidate({ kind: 'pending', landedAt: 120n }, 'confirmed')
export const failed = candidate({ kind: 'failed' })
export const unrelated = candidate({ kind: 'unrelated', reason: 'other', permanent: true })
export const unrelatedForNow = candidate({ kind: 'unrelated', reason: 'other', permanent: false })
export const unrelatedConfirmed = candidate({ kind: 'unrelated', reason: 'other', permanent: true }, 'confirmed')
export const everyCandidate = [pays, unreferenced, wrong, pending, landed, failed, unrelated, unrelatedForNow, unrelatedConfirmed]

/** A snapshot in which the chain shows nothing, but for the changes. */
export function snapshot(state: PurchaseState, changes: Partial<PurchaseSnapshot> = {}): PurchaseSnapshot {
  return {
    purchase: held,
    state,
    payment: undefined,
    status: undefined,
    paymentExpired: false,
    candidates: [],
    allRead: true,
    othersHadTime: false,
    search: held,
    scannedBuyer: false,
    heldAtSlot: undefined,
    releaseHeight: undefined,
    expiryHeight: undefined,
    waitsForProof: false,
    finalizedSearched: false,
    searches: [],
    unfunded: false,
    unprovable: undefined,
    ...changes,
  }
}
