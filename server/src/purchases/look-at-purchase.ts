import { inTransaction } from '../database/transact.ts'
import { endHold, endsUnsent } from './end-hold.ts'
import { findClues, pushRecorded, settleFromClues } from './find-payments.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { markFinalized, type PurchaseRow } from './purchase-store.ts'
import { releaseHold } from './release-hold.ts'
import { FINALITY_LOOK_SECONDS, HOLD_LOOK_SECONDS, looksAtBuyer, secondsToNextEndedLook } from './watch-schedule.ts'

/** A purchase that is due, with whether its time to pay is over by the database's clock. */
export type DuePurchase = PurchaseRow & { over: boolean }

export interface Look {
  /** When to look again; null for never. */
  nextSeconds: number | null
  /** The buyer's own transactions were read. */
  buyer: boolean
}

const never: Look = { nextSeconds: null, buyer: false }

/** Does for one purchase whatever its state asks for, and tells when to look again. Fails with CHAIN_DOWN. */
export async function lookAtPurchase(deps: PurchaseDeps, purchase: DuePurchase): Promise<Look> {
  switch (purchase.status) {
    case 'held':
      return lookAtHold(deps, purchase)
    case 'settled':
      return followToFinality(deps, purchase)
    case 'ended':
      return lookAfterEnd(deps, purchase)
  }
}

async function lookAtHold(deps: PurchaseDeps, purchase: DuePurchase): Promise<Look> {
  const { database, chain } = deps
  if (await inTransaction(database, (tx) => endHold(tx, purchase, endsUnsent))) return never
  if (purchase.genesisHash !== (await chain.genesisHash())) {
    await inTransaction(database, (tx) => endHold(tx, purchase, () => 'chain_gone'))
    return never
  }
  const pushed = await pushRecorded(deps, purchase)
  if (pushed?.kind === 'settled') return never
  const buyer = !purchase.serverSends && looksAtBuyer(purchase.looks, purchase.buyerLooks)
  if (await settleFromClues(deps, purchase, await findClues(deps, purchase, buyer))) return never
  if (purchase.over && (await releaseHold(deps, purchase))) return never
  return { nextSeconds: HOLD_LOOK_SECONDS, buyer }
}

async function followToFinality({ database, chain }: PurchaseDeps, purchase: PurchaseRow): Promise<Look> {
  if (purchase.signature === null || purchase.genesisHash !== (await chain.genesisHash())) return never
  const status = (await chain.statuses([purchase.signature])).get(purchase.signature)
  if (status?.commitment !== 'finalized' || status.failed) return { nextSeconds: FINALITY_LOOK_SECONDS, buyer: false }
  await markFinalized(database, purchase.id)
  return never
}

/** A payment that came after all is delivered where the lot is still there, and becomes a case where it is not. */
async function lookAfterEnd(deps: PurchaseDeps, purchase: PurchaseRow): Promise<Look> {
  if (purchase.genesisHash !== (await deps.chain.genesisHash())) return never
  const buyer = !purchase.serverSends
  if (await settleFromClues(deps, purchase, await findClues(deps, purchase, buyer))) return never
  return { nextSeconds: secondsToNextEndedLook(purchase.looks), buyer }
}
