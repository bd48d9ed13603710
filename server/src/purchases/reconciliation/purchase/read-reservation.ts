import { type Signature } from '@juicebar/contract/addresses'

import { type SignatureEntry } from '../../../chain/chain.ts'
import { hashMessage } from '../../../chain/transactions/signed-message.ts'
import { CO_SIGNED_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { isOutOfReach, lastHeightOf } from '../../purchase.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type VerifiedCandidate } from '../../settlement/candidate.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { admitCandidate } from '../admit-candidate.ts'
import { isProvedExpired } from '../prove-expired.ts'
import { type CurrentPayment } from '../reconciliation-store.ts'
import { beginSearch, continueSearch, isUnprovable } from './history-search.ts'
import { listHistorySearches } from './history-search-store.ts'
import { openProvingView, type Round } from './open-round.ts'
import { isRuledOut, ruleOut } from '../rule-out-candidates.ts'
import { hasLanded, type PurchaseSnapshot } from './purchase-decision.ts'

/** A payment that has not landed by then may have expired, however short the slots are. */
const MAY_EXPIRE_SECONDS = 5
/** Transactions that name a reference and are read before its listings are free again. More are searched later. */
const MOST_READ = 64

/**
 * The recorded payment of a reservation if it has landed. If it has not and its bytes have expired: whether the chain shows another copy of
 * the same message, which its buyer signed a second time and the market's signature fits as well.
 * @throws CHAIN_DOWN
 */
export async function readReservation(deps: PurchaseDeps, round: Round, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment, status } = snapshot
  if (!payment) return snapshot
  if (status) {
    const landed = hasLanded(status) ? [candidateOf(deps.chain, payment.signature, status, { recorded: payment })] : []
    return { ...snapshot, candidates: await Promise.all(landed.map((candidate) => verifyCandidate(deps, purchase, candidate))) }
  }
  if (payment.ageSeconds < MAY_EXPIRE_SECONDS) return snapshot
  const blockHeight = await round.blockHeight()
  if (isOutOfReach(payment.expiryHeight, blockHeight)) return { ...snapshot, expiryHeight: lastHeightOf(blockHeight) }
  if (blockHeight <= payment.expiryHeight || !round.mayProve()) return snapshot
  const saved = await listHistorySearches(deps.database, purchase.id)
  if (isUnprovable(saved, deps.chain.endpoints())) return { ...snapshot, unprovable: true }
  const view = await openProvingView(deps, await round.finalized(), saved)
  if (!(await isProvedExpired(deps.chain, view, payment, []))) return snapshot
  const part = await view.history(purchase.reference, { sinceSlot: purchase.heldAtSlot, pages: 1 })
  if (part.kind !== 'part') {
    // It has dropped the blocks since the reservation, and can never show another copy; another endpoint still may.
    const search = continueSearch(beginSearch(purchase.id, view.endpoint, purchase.reference), part)
    return { ...snapshot, searches: [search], unprovable: isUnprovable([...saved, search], deps.chain.endpoints()) }
  }
  const entries = part.entries.filter(({ failed }) => !failed).toReversed()
  const whole = part.older === undefined && entries.length <= MOST_READ
  const candidates = await readCopies(deps, snapshot, payment, entries.slice(0, MOST_READ))
  // What was not read may be another copy: the next rounds go on.
  if (!candidates) return snapshot
  const unfunded =
    (await deps.chain.balance(purchase.buyer, { fresh: true })) < purchase.priceLamports + purchase.feeLamports + CO_SIGNED_FEE_LAMPORTS
  return { ...snapshot, paymentExpired: true, candidates, allRead: whole, unfunded }
}

/** Those that carry the recorded message under another signature of its buyer, verified. Undefined if some are left for later rounds. */
async function readCopies(
  deps: PurchaseDeps,
  { purchase }: PurchaseSnapshot,
  { signature: own, messageHash }: CurrentPayment,
  entries: readonly SignatureEntry[],
): Promise<VerifiedCandidate[] | undefined> {
  const copies: Signature[] = []
  for (const { signature } of entries) {
    if (signature === own || isRuledOut(deps.chain, `${purchase.id} copy`, signature)) continue
    if (!(await admitCandidate(deps.chain, purchase.id))) return undefined
    const transaction = await deps.chain.transaction(signature, { candidate: true })
    if (!transaction) continue
    if (messageHash?.equals(hashMessage(transaction.bytes))) copies.push(signature)
    else ruleOut(deps.chain, `${purchase.id} copy`, signature)
  }
  const statuses = await deps.chain.statuses(copies)
  return Promise.all(copies.map((copy) => verifyCandidate(deps, purchase, candidateOf(deps.chain, copy, statuses.get(copy)))))
}
