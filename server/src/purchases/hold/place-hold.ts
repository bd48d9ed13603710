import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports } from '@juicebar/contract/money'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx, violatedConstraint } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { emitListing, findLot, type Lot, lockListing, markHeld } from '../../listings/listing-store.ts'
import { endHold, endsUnsent } from './end-hold.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { cooldownMinutes, type OpenHold, requireBuyable, requireRoomForHold, solNeeded } from '../purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import {
  allowWalletToSend,
  emitPurchase,
  findOpenHold,
  findPurchase,
  insertHold,
  listOtherHolds,
  lockPlayer,
  lockPurchase,
  readUnpaidHistory,
} from '../purchase-store.ts'
import { newReference } from '../reference.ts'

export interface HoldOrder {
  buyer: WalletAddress
  listingId: string
  /** server: only this server will broadcast the payment. wallet: the buyer's wallet may do so by itself. */
  sendsThrough: 'server' | 'wallet'
}

/** What the chain said before the transaction began. */
interface ChainView {
  genesisHash: string
  slot: bigint
  balance: Lamports
  rentExemptMinimum: Lamports
}

/**
 * Reserves a lot for a buyer who is about to pay, and gives the purchase's identifier; asking again gives the same one.
 * Fails with LISTING_NOT_FOUND, OWN_LISTING, LISTING_NOT_ACTIVE, LISTING_HELD, INSUFFICIENT_SOL, TOO_MANY_HOLDS, AMBIGUOUS_HOLD,
 * COOLDOWN or CHAIN_DOWN; nothing is held then.
 */
export async function placeHold(deps: PurchaseDeps, order: HoldOrder): Promise<string> {
  const { database } = deps
  if (!isId(order.listingId)) throw new Failure('LISTING_NOT_FOUND')
  const again = await inTransaction(database, (tx) => repeatHold(tx, order))
  if (again) return again
  await refuseEarly(database, order)
  const view = await readChain(deps, order.buyer)
  try {
    return await inTransaction(database, (tx) => hold(tx, deps, order, view))
  } catch (error) {
    if (violatedConstraint(error) === 'purchases_no_ambiguous_holds') throw new Failure('AMBIGUOUS_HOLD', { cause: error })
    throw error
  }
}

/**
 * Refuses what could not be held now, as far as that is known without the chain, whose answers are few, and without waiting for the
 * lot's lock, for which many may queue. What it lets pass is decided under lock.
 */
async function refuseEarly(database: Database | Tx, order: HoldOrder): Promise<void> {
  const lot = await findLot(database, order.listingId)
  if (!lot) throw new Failure('LISTING_NOT_FOUND')
  const holder = lot.heldNow && lot.heldBy !== null ? await findPurchase(database, lot.heldBy) : undefined
  if (holder?.buyer === order.buyer) return
  await requireHoldable(database, order.buyer, { ...lot, heldBy: holder ? lot.heldBy : null })
}

/** Gives the buyer's other open holds. */
async function requireHoldable(database: Database | Tx, buyer: WalletAddress, lot: Lot): Promise<OpenHold[]> {
  requireBuyable(lot, buyer)
  await requireNotBarred(database, buyer, lot.id)
  const holds = await listOtherHolds(database, buyer, lot.id)
  requireRoomForHold(holds, lot)
  return holds
}

/**
 * The buyer's open hold on this lot. Fails with PAYMENT_UNDER_WAY or HOLD_ENDED where paying (again) would be a mistake.
 * A client that now wants to send by itself may: from then on the chain decides about absence.
 */
async function repeatHold(tx: Tx, { buyer, listingId, sendsThrough }: HoldOrder): Promise<string | undefined> {
  const open = await findOpenHold(tx, listingId, buyer)
  if (!open) return undefined
  await lockListing(tx, listingId)
  const locked = await lockPurchase(tx, open.id)
  if (locked?.status !== 'held') return undefined
  const payment = await findRecordedPayment(tx, locked.id)
  if (payment) throw new Failure('PAYMENT_UNDER_WAY')
  if (endsUnsent({ ...locked, payment })) return undefined
  if (locked.windowClosed || locked.cancelRequested) throw new Failure('HOLD_ENDED')
  if (locked.serverSends && sendsThrough === 'wallet') await allowWalletToSend(tx, locked.id)
  return locked.id
}

async function readChain({ chain }: PurchaseDeps, buyer: WalletAddress): Promise<ChainView> {
  const [genesisHash, slot, balance, rentExemptMinimum] = await Promise.all([
    chain.genesisHash(),
    chain.highestSlot(),
    chain.balance(buyer),
    chain.rentExemptMinimum(),
  ])
  return { genesisHash, slot, balance, rentExemptMinimum }
}

async function hold(tx: Tx, { settings }: PurchaseDeps, order: HoldOrder, view: ChainView): Promise<string> {
  const { buyer, listingId, sendsThrough } = order
  await refuseEarly(tx, order)
  await lockPlayer(tx, buyer)
  const again = await repeatHold(tx, order)
  if (again) return again
  const lot = await lockFreeLot(tx, listingId)
  if (!lot) throw new Failure('LISTING_NOT_FOUND')
  const holds = await requireHoldable(tx, buyer, lot)
  const prices = [...holds.map((open) => open.priceLamports), lot.priceLamports]
  if (view.balance < solNeeded(prices, view.rentExemptMinimum)) throw new Failure('INSUFFICIENT_SOL')

  const purchase = await insertHold(
    tx,
    {
      listingId,
      buyer,
      seller: lot.seller,
      tokenType: lot.tokenType,
      amount: lot.amount,
      priceLamports: lot.priceLamports,
      reference: newReference(),
      genesisHash: view.genesisHash,
      heldAtSlot: view.slot,
      serverSends: sendsThrough === 'server',
    },
    settings.holdSeconds,
  )
  await markHeld(tx, listingId, { heldBy: purchase.id, heldUntil: purchase.payBefore })
  await emitListing(tx, 'listing.held', listingId)
  await emitPurchase(tx, purchase.id)
  return purchase.id
}

/** Locks the lot; a hold on it that is already over, and that nothing can have paid, ends here rather than a moment later. */
async function lockFreeLot(tx: Tx, listingId: string) {
  const lot = await lockListing(tx, listingId)
  if (!lot?.heldBy) return lot
  const ended = await endHold(tx, { id: lot.heldBy, listingId }, endsUnsent)
  return ended ? { ...lot, heldBy: null, heldUntil: null } : lot
}

async function requireNotBarred(database: Database | Tx, buyer: WalletAddress, listingId: string): Promise<void> {
  const { secondsSinceLeft, lapses } = await readUnpaidHistory(database, buyer, listingId)
  if (secondsSinceLeft === null) return
  const secondsLeft = Math.ceil(cooldownMinutes(lapses) * 60 - secondsSinceLeft)
  if (secondsLeft > 0) {
    throw new Failure('COOLDOWN', { detail: `${Math.ceil(secondsLeft / 60)} min`, retryAfter: secondsLeft })
  }
}
