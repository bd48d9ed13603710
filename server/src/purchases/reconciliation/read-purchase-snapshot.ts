import { type Signature } from '@juicebar/contract/addresses'
import { CO_SIGNED_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type Chain, type SignatureEntry, type FinalizedView, type ReadOptions } from '../../chain/chain.ts'
import { hashMessage } from '../../chain/transactions/message.ts'
import { correctedSlot, isOutOfReach, lastHeightOf, RELEASE_MARGIN_BLOCKS } from '../purchase/purchase.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { ALONE_SECONDS, loweredHeight, mayWait, paymentStatuses, SHOWN_SECONDS, waitsForSilent } from '../purchase/wait-for-endpoints.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { type VerifiedCandidate } from '../settlement/candidate.ts'
import { candidateOf, verifyCandidate } from '../settlement/settle-payment.ts'
import { listReplacements } from '../cases/case-store.ts'
import { admitCandidate, isProvedExpired, isRuledOut, ruleOut } from './prove-expired.ts'
import { type CurrentPayment, listHistorySearches, type DuePurchase } from './reconciliation-store.ts'
import { beginSearch, continueSearch, isUnprovable, changedSearches } from './history-search.ts'
import {
  openProvingView,
  type Round,
  landedSignatures,
  listOwn,
  listReferenced,
  progressOf,
  readCandidates,
  searchFinalized,
} from './search-candidates.ts'
import { hasLanded, isLongUnfinal, isUndecided, landedFarBelow, type PurchaseSnapshot, purchaseStateOf } from './purchase-decision.ts'
import { isBeyondRelease } from '../hold/hold.ts'
import { scansBuyer, searchesChain, UNREFERENCED_DOUBLE_SECONDS } from './schedule.ts'

/** A payment that has not landed by then may have expired, however short the slots are. */
const MAY_EXPIRE_SECONDS = 5
/** Transactions that name a reference and are read before its listings are free again. More are searched later. */
const MOST_READ = 64
/** Junk may fail, and is not read then. */
const MOST_LISTED = 1_000

/**
 * The recorded payment of a reservation if it has landed. If it has not and its bytes have expired: whether the chain shows another copy of
 * the same message, which its buyer signed a second time and the market's signature fits as well.
 * @throws CHAIN_DOWN
 */
async function readReservation(deps: PurchaseDeps, round: Round, unread: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment, status } = unread
  if (!payment) return unread
  const asks = !status && isOverdue(payment) && !deps.chain.isSaturated()
  const unfunded = asks && (await cannotLand(deps, purchase, payment))
  const own = hasLanded(status)
    ? [await verifyCandidate(deps, purchase, candidateOf(deps.chain, payment.signature, status, { recorded: payment }))]
    : []
  const snapshot = { ...unread, unfunded, candidates: own }
  // One endpoint may say for ever that it is about to count: then its reservation ends as any other does.
  if (own.some(({ verdict }) => verdict.kind === 'pays')) return snapshot
  if (payment.ageSeconds < MAY_EXPIRE_SECONDS) return snapshot
  const blockHeight = await round.blockHeight()
  if (isOutOfReach(payment.expiryHeight, blockHeight)) {
    return { ...snapshot, expiryHeight: loweredHeight(deps.chain, purchase.id, payment.expiryHeight, await round.blockHeight()) }
  }
  if (blockHeight <= payment.expiryHeight) return snapshot
  const finalized = await round.finalized()
  if (finalized.height <= payment.expiryHeight + RELEASE_MARGIN_BLOCKS || !round.mayProve('hold')) return snapshot
  const saved = await listHistorySearches(deps.database, purchase.id)
  if (isUnprovable(saved, deps.chain.endpoints())) return { ...snapshot, unprovable: true }
  const view = await openProvingView(deps, finalized, saved)
  if (!(await isProvedExpired(deps.chain, view, payment, []))) return snapshot
  const part = await view.history(purchase.reference, { sinceSlot: purchase.heldAtSlot, pages: 1 })
  if (part.kind !== 'part') {
    // It has dropped the blocks since the reservation, and can never show another copy; another endpoint still may.
    const search = continueSearch(beginSearch(purchase.id, view.endpoint, purchase.reference), part)
    return { ...snapshot, searches: [search], unprovable: isUnprovable([...saved, search], deps.chain.endpoints()) }
  }
  // Nothing that carries it is older than the reservation, whatever slot an endpoint told then.
  const elsewhere = await deps.chain.recentSignatures(purchase.reference, 0n, MOST_LISTED, { everywhere: true })
  // What one endpoint alone lists as failed may be a copy all the same.
  const landed = [...part.entries, ...elsewhere].filter(({ failed }) => !failed)
  const entries = [...new Map(landed.map((entry) => [entry.signature, entry])).values()].toSorted((a, b) => Number(a.slot - b.slot))
  const whole = part.older === undefined && entries.length <= MOST_READ
  const copies = await readCopies(deps, snapshot, payment, entries.slice(0, MOST_READ))
  // What was not read may be another copy: the next rounds go on.
  if (!copies) return snapshot
  const { candidates, unshown } = copies
  // What is listed and not shown, or is hidden by those that answer, may be shown by an endpoint that does not answer now.
  if (unshown || waitsForSilent(deps.chain, `${purchase.id} silent`, [purchase.reference, payment.signature])) return snapshot
  const lacks = !candidates.some(isUndecided) && (await lacksFunds(deps, purchase))
  return { ...snapshot, paymentExpired: true, candidates, allRead: whole, unfunded: lacks }
}

/** When a payment should have landed long ago, and still can, if its buyer had signed it with a fresh blockhash and left the SOL for it. */
const OVERDUE_SECONDS = { from: 12, to: 15 }

/** For a few rounds, because each simulates the payment. Later, the SOL may be back, and no blockhash is valid any more. */
function isOverdue({ ageSeconds }: CurrentPayment): boolean {
  return ageSeconds >= OVERDUE_SECONDS.from && ageSeconds < OVERDUE_SECONDS.to
}

/** Whether the buyer has too little for a payment that did not land. */
async function lacksFunds({ chain }: PurchaseDeps, { buyer, priceLamports, feeLamports }: DuePurchase): Promise<boolean> {
  return (await chain.balance(buyer, { fresh: true })) < priceLamports + feeLamports + CO_SIGNED_FEE_LAMPORTS
}

/** Whether the chain would refuse it now. Nothing else of the round depends on it, so it goes on without an answer. */
async function cannotLand(deps: PurchaseDeps, purchase: DuePurchase, { transactionBytes }: CurrentPayment): Promise<boolean> {
  try {
    const simulation = await deps.chain.simulate(transactionBytes, { awaitsCoSigner: purchase.buyer })
    return simulation.kind !== 'valid'
  } catch (error) {
    const fields = purchaseFields(purchase, { waitingFor: 'its payment to land on the chain' })
    deps.failures.failed(error, fields, 'a payment that did not land could not be simulated; trying again')
    return false
  }
}

interface Copies {
  candidates: VerifiedCandidate[]
  /** One is listed that no endpoint shows, or the recorded payment itself, which none has shown; for a while, it may still be. */
  unshown: boolean
}

/** Those that carry the recorded message under another signature of its buyer, verified. Undefined if some are left for later rounds. */
async function readCopies(
  deps: PurchaseDeps,
  { purchase }: PurchaseSnapshot,
  { signature: own, messageHash }: CurrentPayment,
  entries: readonly SignatureEntry[],
): Promise<Copies | undefined> {
  const { chain } = deps
  const copies: Signature[] = []
  let unshown = false
  for (const { signature } of entries) {
    if (isRuledOut(chain, `${purchase.id} copy`, signature)) continue
    const isOwn = signature === own
    if (!isOwn && !(await admitCandidate(chain, purchase.id))) return undefined
    const transaction = isOwn ? undefined : await chain.transaction(signature, { candidate: true })
    if (transaction && messageHash?.equals(hashMessage(transaction.bytes))) copies.push(signature)
    else if (!transaction && maybeShown(chain, purchase, signature)) unshown = true
    else ruleOut(chain, `${purchase.id} copy`, signature)
  }
  const statuses = await paymentStatuses(deps, copies)
  const verified = copies.map((copy) => verifyCandidate(deps, purchase, candidateOf(chain, copy, statuses.get(copy))))
  return { candidates: await Promise.all(verified), unshown }
}

/** Whether an endpoint may still show what none has shown, in a minute or once each has answered. */
function maybeShown(chain: Chain, { id }: DuePurchase, signature: Signature): boolean {
  if (mayWait(chain, `${id} shown`, SHOWN_SECONDS)) return true
  return waitsForSilent(chain, `${id} ${signature} silent`, [signature]) && mayWait(chain, `${id} copies`, ALONE_SECONDS)
}

/**
 * Reads everything that the state of a purchase needs from the database and the chain. Writes nothing.
 * @throws CHAIN_DOWN
 */
export async function readPurchaseSnapshot(deps: PurchaseDeps, round: Round, purchase: DuePurchase): Promise<PurchaseSnapshot> {
  const payment = (await round.payments).get(purchase.id)
  const state = purchaseStateOf(purchase, await deps.chain.genesisHash())
  const snapshot: PurchaseSnapshot = {
    purchase,
    state,
    payment,
    status: undefined,
    paymentExpired: false,
    candidates: [],
    allRead: true,
    othersHadTime: false,
    search: purchase,
    scannedBuyer: false,
    heldAtSlot: undefined,
    releaseHeight: undefined,
    expiryHeight: undefined,
    waitsForProof: false,
    finalizedSearched: false,
    searches: [],
    unfunded: false,
    unprovable: undefined,
  }
  switch (state) {
    case 'chainGone':
    case 'earlierChain':
      return snapshot
    case 'reserved':
      return readReservation(deps, round, await withStatus(round, snapshot))
    case 'windowOpen':
      return readHold(deps, await withStatus(round, snapshot))
    case 'windowClosed':
      return readRelease(deps, round, await readHold(deps, await withStatus(round, snapshot)))
    case 'awaitingFinality':
      return readFinality(deps, round, snapshot)
    case 'finalized':
    case 'ended':
      return searchLate(deps, snapshot)
  }
}

async function withStatus(round: Round, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { payment } = snapshot
  return payment ? { ...snapshot, status: (await round.statuses).get(payment.signature) } : snapshot
}

/** The recorded payment if it has landed; unless it pays, also the candidates found by the reference or the buyer's address. */
async function readHold(deps: PurchaseDeps, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment, status } = snapshot
  const recorded =
    payment && hasLanded(status)
      ? [await verifyCandidate(deps, purchase, candidateOf(deps.chain, payment.signature, status, { recorded: payment }))]
      : []
  if (recorded.some(({ verdict }) => verdict.kind === 'pays') || !searchesChain(purchase, payment !== undefined)) {
    return { ...snapshot, candidates: recorded }
  }
  const scannedBuyer = !purchase.needsReference && scansBuyer(purchase, deps.settings.holdSeconds)
  const found = await search(deps, purchase, { scannedBuyer, except: recorded[0]?.signature })
  return { ...snapshot, ...found, candidates: [...recorded, ...found.candidates], scannedBuyer }
}

interface SearchOptions extends ReadOptions {
  /** Search the buyer's own transactions, too. */
  scannedBuyer: boolean
  except?: Signature | undefined
  /** Other transactions that may pay, whatever was decided about them. */
  others?: readonly Signature[]
}

/** Candidates found by the reference, from the last decided one on, and by the buyer's address if requested; the oldest first. */
async function search(
  deps: PurchaseDeps,
  purchase: DuePurchase,
  { scannedBuyer, except, others = [], everywhere = false, ...options }: SearchOptions,
) {
  const [referenced, own] = await Promise.all([
    listReferenced(deps, purchase, { ...options, everywhere }),
    scannedBuyer ? listOwn(deps, purchase, { ...options, everywhere }) : [],
  ])
  const listed = landedSignatures([...referenced.oldestFirst, ...own]).filter((signature) => signature !== except)
  const found = [...new Set([...others, ...listed])]
  // What one endpoint invents would be read again and again, and what is real never.
  const statuses = everywhere && found.length > 0 ? await deps.chain.statuses(found, { everywhere }) : undefined
  const known = statuses && waitsForSilent(deps.chain, `${purchase.id} statuses`, found) ? undefined : statuses
  const real = known ? found.filter((signature) => known.has(signature) || others.includes(signature)) : found
  const { candidates, allRead } = await readCandidates(deps, purchase, real, { ...options, again: others })
  return { candidates, allRead: allRead && referenced.complete, search: await progressOf(deps, purchase, referenced) }
}

/** The release height once the window has closed, or one that is out of reach; beyond it, the finalized chain, unless a candidate pays. */
async function readRelease(deps: PurchaseDeps, round: Round, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, candidates } = snapshot
  if (purchase.releaseHeight === null) {
    // Read after `payBefore`: anything signed in time used a blockhash no newer than this.
    return { ...snapshot, releaseHeight: lastHeightOf(await round.blockHeight()) }
  }
  if (candidates.some(({ verdict }) => verdict.kind === 'pays')) return snapshot
  const view = await round.finalized()
  if (isOutOfReach(purchase.releaseHeight, view.height)) {
    return { ...snapshot, releaseHeight: loweredHeight(deps.chain, purchase.id, purchase.releaseHeight, await round.blockHeight()) }
  }
  if (!isBeyondRelease(view, purchase)) return snapshot
  if (!round.mayProve('hold')) return { ...snapshot, waitsForProof: true }
  const heldAtSlot = correctedSlot(purchase, await deps.chain.reachedSlot())
  if (heldAtSlot !== undefined) return { ...snapshot, heldAtSlot }
  return searchForProof(deps, view, snapshot)
}

/** On an endpoint that can prove that no payment landed; if there is none, the hold is unprovable. */
async function searchForProof(deps: PurchaseDeps, anyView: FinalizedView, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment, candidates } = snapshot
  const saved = await listHistorySearches(deps.database, purchase.id)
  if (isUnprovable(saved, deps.chain.endpoints())) return { ...snapshot, unprovable: true }
  const view = await openProvingView(deps, anyView, saved)
  if (!isBeyondRelease(view, purchase)) return snapshot
  const found = await searchFinalized(deps, view, { purchase, payment, known: candidates, saved })
  return {
    ...snapshot,
    candidates: [...candidates, ...found.candidates],
    finalizedSearched: found.complete,
    searches: changedSearches(found.searches, saved),
    unprovable: isUnprovable([...saved, ...found.searches], deps.chain.endpoints()),
  }
}

/** Longer than one endpoint can hide what may count in place of a dropped payment. */
const REPLACED_SECONDS = ALONE_SECONDS + 60

/** Once the payment is proved never to become final, only a late or second one can arrive. */
async function readFinality(deps: PurchaseDeps, round: Round, unread: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment } = unread
  if (!payment) return unread
  const status = (await round.finality).get(payment.signature)
  const snapshot = { ...unread, status }
  if ((hasLanded(status) && !isLongUnfinal(purchase, status)) || !round.mayProve('delivery')) {
    const isFarBelow = hasLanded(status) && landedFarBelow(purchase, status)
    return isFarBelow ? { ...snapshot, heldAtSlot: correctedSlot(purchase, await deps.chain.reachedSlot()) } : snapshot
  }
  const view = await round.finalized()
  if (isOutOfReach(payment.expiryHeight, view.height)) {
    return { ...snapshot, expiryHeight: loweredHeight(deps.chain, purchase.id, payment.expiryHeight, await round.blockHeight()) }
  }
  const reached = await deps.chain.reachedSlot()
  const traces = (purchase.coSigned ? [purchase.reference] : [purchase.reference, purchase.buyer]).map((address) => ({
    address,
    sinceSlot: correctedSlot(purchase, reached) ?? purchase.heldAtSlot,
  }))
  const paymentExpired = await isProvedExpired(deps.chain, view, payment, traces)
  if (!paymentExpired) return snapshot
  const others = await listReplacements(deps.database, purchase.id)
  const searched = await searchLate(deps, { ...snapshot, paymentExpired }, others)
  const replaced = `${payment.signature} replaced`
  const allRead =
    searched.allRead && !waitsForSilent(deps.chain, `${replaced} silent`, [purchase.reference, purchase.buyer, payment.signature])
  return { ...searched, allRead, othersHadTime: !mayWait(deps.chain, replaced, REPLACED_SECONDS) }
}

async function searchLate(deps: PurchaseDeps, snapshot: PurchaseSnapshot, others: readonly Signature[] = []): Promise<PurchaseSnapshot> {
  const { purchase } = snapshot
  // Without the reference, nothing counts for a purchase that has ended, unless its buyer says so.
  const recently = purchase.status === 'settled' && purchase.secondsSinceClosed < UNREFERENCED_DOUBLE_SECONDS
  const scannedBuyer = !purchase.serverSends && !purchase.needsReference && (recently || snapshot.paymentExpired)
  // One endpoint may be the one that has hidden the payment until the purchase ended, or hides the one that counts instead of an expired one.
  const everywhere = purchase.status === 'ended' || snapshot.paymentExpired
  return {
    ...snapshot,
    ...(await search(deps, purchase, { scannedBuyer, everywhere, others, spare: !snapshot.paymentExpired })),
    scannedBuyer,
  }
}
