import { type Signature } from '@juicebar/contract/addresses'

import { type FinalizedView, type ReadOptions } from '../../../chain/chain.ts'
import { endsUnsent } from '../../hold/hold.ts'
import { isBeyondRelease } from '../../hold/hold-release.ts'
import { type PaymentRow } from '../../payment/payment-store.ts'
import { isOutOfReach, lastHeightOf } from '../../purchase.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { openProvingView, type Round } from './open-round.ts'
import { isProvedExpired } from '../prove-expired.ts'
import { hasLanded, type PurchaseSnapshot, purchaseStateOf } from './purchase-decision.ts'
import { type DuePurchase } from '../reconciliation-store.ts'
import { scansBuyer, searchesChain, UNREFERENCED_DOUBLE_SECONDS } from '../schedule.ts'
import { readReservation } from './read-reservation.ts'
import { landedSignatures, listOwn, listReferenced, progressOf, readCandidates } from './search-candidates.ts'
import { searchFinalized } from './search-finalized.ts'
import { changedSearches, isUnprovable } from './history-search.ts'
import { listHistorySearches } from './history-search-store.ts'

/**
 * Reads everything that the state of a purchase needs from the database and the chain. Writes nothing.
 * @throws CHAIN_DOWN
 */
export async function readPurchaseSnapshot(deps: PurchaseDeps, round: Round, purchase: DuePurchase): Promise<PurchaseSnapshot> {
  const payment = (await round.payments).get(purchase.id)
  const state = purchaseStateOf(purchase, payment !== undefined, await readGenesisHash(deps, purchase, payment))
  const snapshot: PurchaseSnapshot = {
    purchase,
    state,
    payment,
    status: undefined,
    paymentExpired: false,
    candidates: [],
    allRead: true,
    search: purchase,
    scannedBuyer: false,
    releaseHeight: undefined,
    expiryHeight: undefined,
    finalizedSearched: false,
    searches: [],
    unfunded: false,
    unprovable: undefined,
  }
  switch (state) {
    case 'unsent':
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

/** A hold that ends unsent does not need the chain, so its identity is not requested while the chain is down. */
async function readGenesisHash({ chain }: PurchaseDeps, purchase: DuePurchase, payment: PaymentRow | undefined) {
  const unsent = purchase.status === 'held' && endsUnsent({ ...purchase, paymentRecorded: payment !== undefined }) !== undefined
  return unsent && !chain.isUp() ? undefined : chain.genesisHash()
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
  const scannedBuyer = !purchase.serverSends && !purchase.needsReference && scansBuyer(purchase, deps.settings.holdSeconds)
  const found = await search(deps, purchase, { scannedBuyer, except: recorded[0]?.signature })
  return { ...snapshot, ...found, candidates: [...recorded, ...found.candidates], scannedBuyer }
}

interface SearchOptions extends ReadOptions {
  /** Search the buyer's own transactions, too. */
  scannedBuyer: boolean
  except?: Signature | undefined
}

/** Candidates found by the reference, from the last decided one on, and by the buyer's address if requested; the oldest first. */
async function search(deps: PurchaseDeps, purchase: DuePurchase, { scannedBuyer, except, ...options }: SearchOptions) {
  const [referenced, own] = await Promise.all([
    listReferenced(deps, purchase, options),
    scannedBuyer ? listOwn(deps, purchase, options) : [],
  ])
  const found = landedSignatures([...referenced.oldestFirst, ...own]).filter((signature) => signature !== except)
  const { candidates, allRead } = await readCandidates(deps, purchase, found, options)
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
  if (isOutOfReach(purchase.releaseHeight, view.height)) return { ...snapshot, releaseHeight: await lowered(round, purchase.releaseHeight) }
  if (!isBeyondRelease(view, purchase) || !round.mayProve()) return snapshot
  return searchForProof(deps, view, snapshot)
}

/** What to store instead of a height that is out of reach: that of now, since everything was signed before. */
async function lowered(round: Round, stored: bigint): Promise<bigint | undefined> {
  const blockHeight = await round.blockHeight()
  return isOutOfReach(stored, blockHeight) ? lastHeightOf(blockHeight) : undefined
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

/** Once the payment is proved never to become final, only a late or second one can arrive. */
async function readFinality(deps: PurchaseDeps, round: Round, unread: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase, payment } = unread
  if (!payment) return unread
  const status = (await round.finality).get(payment.signature)
  const snapshot = { ...unread, status }
  if (hasLanded(status)) return snapshot
  const view = await round.finalized()
  if (isOutOfReach(payment.expiryHeight, view.height)) return { ...snapshot, expiryHeight: await lowered(round, payment.expiryHeight) }
  const traces = (purchase.coSigned ? [purchase.reference] : [purchase.reference, purchase.buyer]).map((address) => ({
    address,
    sinceSlot: purchase.heldAtSlot,
  }))
  const paymentExpired = await isProvedExpired(deps.chain, view, payment, traces)
  return paymentExpired ? searchLate(deps, { ...snapshot, paymentExpired }) : snapshot
}

async function searchLate(deps: PurchaseDeps, snapshot: PurchaseSnapshot): Promise<PurchaseSnapshot> {
  const { purchase } = snapshot
  // Without the reference, nothing counts for a purchase that has ended, unless its buyer says so.
  const recently = purchase.status === 'settled' && purchase.secondsSinceClosed < UNREFERENCED_DOUBLE_SECONDS
  const scannedBuyer = !purchase.serverSends && !purchase.needsReference && recently
  return { ...snapshot, ...(await search(deps, purchase, { scannedBuyer, spare: true })), scannedBuyer }
}
