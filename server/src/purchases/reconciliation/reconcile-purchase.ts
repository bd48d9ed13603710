import { inTransaction } from '../../database/transact.ts'
import { endHold, endsUnsent } from '../hold/end-hold.ts'
import { type Evidence } from './chain-snapshot.ts'
import { findClues, settleFromClues } from './find-candidates.ts'
import { followPayment } from './follow-finality.ts'
import { markVoid, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type DuePurchase, emitPurchase } from '../purchase-store.ts'
import { releaseHold } from './release-hold.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'
import { paymentClue, settlePayment } from '../settlement/settle-payment.ts'
import {
  FINALITY_LOOK_SECONDS,
  looksAtBuyer,
  PLAIN_DOUBLE_SECONDS,
  SEARCH_EVERY,
  SEARCH_LOOK_SECONDS,
  secondsToNextLateLook,
  SENT_LOOK_SECONDS,
  UNDECIDED_LOOK_SECONDS,
} from './schedule.ts'

export interface Look {
  /** When to look again; null for never. */
  nextSeconds: number | null
  /** The buyer's own transactions were read. */
  buyer: boolean
}

const never: Look = { nextSeconds: null, buyer: false }

/**
 * Does for one purchase whatever its state asks for, and tells when to look again. `evidence` was read for all purchases of the
 * round; only what needs the chain waits for it. Fails with CHAIN_DOWN.
 */
export async function reconcilePurchase(deps: PurchaseDeps, purchase: DuePurchase, evidence: Promise<Evidence>): Promise<Look> {
  if (await endUnsent(deps, purchase)) return never
  const sameChain = await isOnThisChain(deps, purchase)
  switch (purchase.status) {
    case 'held':
      return sameChain ? lookAtHold(deps, purchase, await evidence) : endWithChain(deps, purchase)
    case 'settled':
      return sameChain ? lookAtSettled(deps, purchase, await evidence) : never
    case 'ended':
      return sameChain ? lookAfterEnd(deps, purchase) : never
  }
}

async function isOnThisChain({ chain }: PurchaseDeps, purchase: DuePurchase): Promise<boolean> {
  return purchase.genesisHash === (await chain.genesisHash())
}

/** Takes the locks only where the hold, as it was taken up, may be one that ends without asking the chain. */
async function endUnsent(deps: PurchaseDeps, purchase: DuePurchase): Promise<boolean> {
  if (purchase.status !== 'held' || !endsUnsent({ ...purchase, payment: undefined })) return false
  // Whoever could not pay because the local chain was started anew is not barred for it.
  if (deps.chain.isUp() && !(await isOnThisChain(deps, purchase))) return false
  return (await inTransaction(deps.database, (tx) => endHold(tx, purchase, endsUnsent))) !== undefined
}

/** A local chain that was started anew has forgotten every payment made on it, and its SOL. */
async function endWithChain({ database }: PurchaseDeps, purchase: DuePurchase): Promise<Look> {
  await inTransaction(database, (tx) => endHold(tx, purchase, () => 'chain_gone'))
  return never
}

async function lookAtHold(deps: PurchaseDeps, purchase: DuePurchase, evidence: Evidence): Promise<Look> {
  const payment = evidence.recorded.get(purchase.id)
  if (payment && (await pushPayment(deps, purchase, payment, evidence.statuses))) return never
  const searches = !payment || purchase.windowClosed || purchase.reconciliations % SEARCH_EVERY === SEARCH_EVERY - 1
  const buyer = searches && !purchase.serverSends && looksAtBuyer(purchase, deps.settings.holdSeconds)
  if (searches && (await settleFromClues(deps, purchase, await findClues(deps, purchase, buyer))) === 'settled') return never
  if (purchase.windowClosed && (await releaseHold(deps, purchase, evidence))) return never
  return { nextSeconds: payment ? SENT_LOOK_SECONDS : SEARCH_LOOK_SECONDS, buyer }
}

/** Settles from the recorded payment where it has landed, and sends it again where nobody has seen it yet. */
async function pushPayment(
  deps: PurchaseDeps,
  purchase: DuePurchase,
  payment: PaymentRow,
  statuses: Evidence['statuses'],
): Promise<boolean> {
  const status = statuses.get(payment.signature)
  if (!status) {
    await broadcastPayment(deps, payment)
    return false
  }
  if (status.failed && status.commitment === 'finalized') {
    await giveUpPayment(deps, payment)
    return false
  }
  const outcome = await settlePayment(deps, purchase, paymentClue(deps.chain, payment.signature, status))
  return outcome.kind === 'settled'
}

/** It failed for good, so nothing stands against another payment. */
async function giveUpPayment({ database }: PurchaseDeps, { signature, purchaseId }: PaymentRow): Promise<void> {
  await markVoid(database, signature)
  await emitPurchase(database, purchaseId)
}

/** Once its payment is final there is nothing to lose any more, but a second payment may come and must become a case. */
async function lookAtSettled(deps: PurchaseDeps, purchase: DuePurchase, evidence: Evidence): Promise<Look> {
  if (purchase.finalizedAt === null && !(await followPayment(deps, purchase, evidence))) {
    return { nextSeconds: FINALITY_LOOK_SECONDS, buyer: false }
  }
  return searchAfterEnd(deps, purchase, !purchase.serverSends && purchase.secondsSinceEnd < PLAIN_DOUBLE_SECONDS)
}

/** A payment that came after all is delivered where the lot is still there, and becomes a case where it is not. */
async function lookAfterEnd(deps: PurchaseDeps, purchase: DuePurchase): Promise<Look> {
  return searchAfterEnd(deps, purchase, !purchase.serverSends)
}

async function searchAfterEnd(deps: PurchaseDeps, purchase: DuePurchase, buyer: boolean): Promise<Look> {
  const outcome = await settleFromClues(deps, purchase, await findClues(deps, purchase, buyer))
  const nextSeconds = secondsToNextLateLook(purchase.secondsSinceEnd)
  return {
    nextSeconds: nextSeconds !== null && outcome === 'undecided' ? Math.min(nextSeconds, UNDECIDED_LOOK_SECONDS) : nextSeconds,
    buyer,
  }
}
