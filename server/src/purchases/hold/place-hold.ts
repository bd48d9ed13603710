import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports } from '@juicebar/contract/money'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx, violatedConstraint } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { emitListing, findListingRow, type ListingRow, lockListing, markHeld } from '../../listings/listing-store.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { emitPurchase, findPurchase, lockPurchase, type PurchaseRow } from '../purchase-store.ts'
import { newReference } from '../reference.ts'
import { endHold } from './end-hold.ts'
import { cooldownMinutes, endsUnsent, type OpenHold, requireBuyable, requireRoomForHold, solNeeded } from './hold.ts'
import { allowWalletToSend, findOpenHold, insertHold, listOtherHolds, lockPlayer, readUnpaidHistory } from './hold-store.ts'

export interface HoldOrder {
  buyer: WalletAddress
  listingId: string
  /** server: only this product broadcasts the payment. wallet: the buyer's wallet may do so too. */
  sendsThrough: 'server' | 'wallet'
}

/** What the chain said before the transaction began. */
interface ChainReading {
  genesisHash: string
  slot: bigint
  balance: Lamports
  rentExemptMinimum: Lamports
}

/**
 * Holds a listing for a buyer who is about to pay. Asking again returns the same hold.
 * @returns the purchase's identifier.
 * @throws LISTING_NOT_FOUND, OWN_LISTING, LISTING_NOT_ACTIVE, LISTING_HELD, INSUFFICIENT_SOL, TOO_MANY_HOLDS, AMBIGUOUS_HOLD,
 * COOLDOWN or CHAIN_DOWN, if nothing is held; PAYMENT_UNDER_WAY or HOLD_ENDED, if paying for the buyer's own hold would be a mistake.
 */
export async function placeHold(deps: PurchaseDeps, order: HoldOrder): Promise<string> {
  const { database } = deps
  if (!isId(order.listingId)) throw new Failure('LISTING_NOT_FOUND')
  const existing = await inTransaction(database, (tx) => repeatHold(tx, order))
  if (existing) return existing
  await refuseEarly(database, order)
  const reading = await readChain(deps, order.buyer)
  try {
    return await inTransaction(database, (tx) => hold(tx, deps, order, reading))
  } catch (error) {
    if (violatedConstraint(error) === 'purchases_no_ambiguous_holds') throw new Failure('AMBIGUOUS_HOLD', { cause: error })
    throw error
  }
}

/**
 * Refuses what could not be held now, as far as that is known without the chain, whose requests are scarce, and without waiting for
 * the listing's lock, for which many may queue. What passes is decided again under the lock.
 */
async function refuseEarly(database: Database | Tx, order: HoldOrder): Promise<void> {
  const listing = await findListingRow(database, order.listingId)
  if (!listing) throw new Failure('LISTING_NOT_FOUND')
  const holder = listing.heldBy === null ? undefined : await findPurchase(database, listing.heldBy)
  const stays = holder !== undefined && !(await mayEndNow(database, holder, { windowClosed: !listing.heldNow }))
  if (stays && holder.buyer === order.buyer) return
  await requireHoldable(database, order.buyer, { ...listing, heldBy: stays ? listing.heldBy : null })
}

/** Whether the hold on a listing is one that the next hold ends under its locks, because nothing can have paid for it. */
async function mayEndNow(database: Database | Tx, holder: PurchaseRow, { windowClosed }: { windowClosed: boolean }): Promise<boolean> {
  if (!endsUnsent({ ...holder, windowClosed, paymentRecorded: false })) return false
  return (await findRecordedPayment(database, holder.id)) === undefined
}

/** @returns the buyer's other open holds. */
async function requireHoldable(database: Database | Tx, buyer: WalletAddress, listing: ListingRow): Promise<OpenHold[]> {
  requireBuyable(listing, buyer)
  await requireNoCooldown(database, buyer, listing.id)
  const holds = await listOtherHolds(database, buyer, listing.id)
  requireRoomForHold(holds, listing)
  return holds
}

/**
 * The buyer's open hold on this listing. A client that now wants to send by itself may: from then on only the chain can prove that
 * no payment came.
 */
async function repeatHold(tx: Tx, { buyer, listingId, sendsThrough }: HoldOrder): Promise<string | undefined> {
  const open = await findOpenHold(tx, listingId, buyer)
  if (!open) return undefined
  await lockListing(tx, listingId)
  const locked = await lockPurchase(tx, open.id)
  if (locked?.status !== 'held') return undefined
  if (await findRecordedPayment(tx, locked.id)) throw new Failure('PAYMENT_UNDER_WAY')
  if (endsUnsent({ ...locked, paymentRecorded: false })) return undefined
  if (locked.windowClosed || locked.cancelRequested) throw new Failure('HOLD_ENDED')
  if (locked.serverSends && sendsThrough === 'wallet') await allowWalletToSend(tx, locked.id)
  return locked.id
}

async function readChain({ chain }: PurchaseDeps, buyer: WalletAddress): Promise<ChainReading> {
  const [genesisHash, slot, balance, rentExemptMinimum] = await Promise.all([
    chain.genesisHash(),
    chain.highestSlot(),
    chain.balance(buyer),
    chain.rentExemptMinimum(),
  ])
  return { genesisHash, slot, balance, rentExemptMinimum }
}

async function hold(tx: Tx, { settings }: PurchaseDeps, order: HoldOrder, reading: ChainReading): Promise<string> {
  const { buyer, listingId, sendsThrough } = order
  await refuseEarly(tx, order)
  await lockPlayer(tx, buyer)
  const existing = await repeatHold(tx, order)
  if (existing) return existing
  const listing = await lockFreeListing(tx, listingId)
  if (!listing) throw new Failure('LISTING_NOT_FOUND')
  const holds = await requireHoldable(tx, buyer, listing)
  const prices = [...holds.map((open) => open.priceLamports), listing.priceLamports]
  if (reading.balance < solNeeded(prices, reading.rentExemptMinimum)) throw new Failure('INSUFFICIENT_SOL')

  const { seller, tokenType, amount, priceLamports } = listing
  const purchase = await insertHold(
    tx,
    {
      listingId,
      buyer,
      seller,
      tokenType,
      amount,
      priceLamports,
      reference: newReference(),
      genesisHash: reading.genesisHash,
      heldAtSlot: reading.slot,
      serverSends: sendsThrough === 'server',
    },
    settings.holdSeconds,
  )
  await markHeld(tx, listingId, { heldBy: purchase.id, heldUntil: purchase.payBefore })
  await emitListing(tx, 'listing.held', listingId)
  await emitPurchase(tx, purchase.id)
  return purchase.id
}

/** Locks the listing. A hold on it whose window has closed, and that nothing can have paid, ends now rather than a moment later. */
async function lockFreeListing(tx: Tx, listingId: string) {
  const listing = await lockListing(tx, listingId)
  if (!listing?.heldBy) return listing
  const ended = await endHold(tx, { id: listing.heldBy, listingId }, endsUnsent)
  return ended ? { ...listing, heldBy: null, heldUntil: null } : listing
}

async function requireNoCooldown(database: Database | Tx, buyer: WalletAddress, listingId: string): Promise<void> {
  const { secondsSinceUnpaid, lapses } = await readUnpaidHistory(database, buyer, listingId)
  if (secondsSinceUnpaid === null) return
  const secondsLeft = Math.ceil(cooldownMinutes(lapses) * 60 - secondsSinceUnpaid)
  if (secondsLeft > 0) {
    throw new Failure('COOLDOWN', { detail: `${Math.ceil(secondsLeft / 60)} min`, retryAfter: secondsLeft })
  }
}
