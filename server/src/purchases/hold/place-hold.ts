import { Failure } from '@juicebar/contract/errors'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

import { isId } from '../../listings/listing.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { newReference } from '../reference.ts'
import { admitHold } from './admit-hold.ts'
import { holdFailure, type HoldOrder, spendableLamports } from './hold.ts'
import { checkHold, type HeldPurchase, type HoldOutcome, insertHold } from './hold-store.ts'

/** What the chain said before the transaction began. */
interface ChainReading {
  genesisHash: string
  slot: bigint
  balance: Lamports
  rentExemptMinimum: Lamports
}

/**
 * Holds a listing for a buyer who is about to pay. Asking again returns the same hold. What can be refused without the chain is refused
 * first, because requests to the chain are scarce; `place_hold` decides again under its locks.
 * @throws LISTING_NOT_FOUND, OWN_LISTING, LISTING_NOT_ACTIVE, LISTING_HELD, COOLDOWN, TOO_MANY_HOLDS, AMBIGUOUS_HOLD, INSUFFICIENT_SOL
 * CHAIN_BUSY or CHAIN_DOWN, if nothing is held; PAYMENT_UNDER_WAY or HOLD_ENDED, if paying for the buyer's own hold would be a mistake.
 */
export async function placeHold(deps: PurchaseDeps, order: HoldOrder): Promise<HeldPurchase> {
  const { database } = deps
  if (!isId(order.listingId)) throw new Failure('LISTING_NOT_FOUND')
  const existing = requireNoRefusal(await checkHold(database, order))
  if (existing) return existing
  const returnReservation = admitHold(deps.chain, order)
  try {
    return await placeAdmitted(deps, order)
  } catch (error) {
    returnReservation()
    throw error
  }
}

async function placeAdmitted(deps: PurchaseDeps, order: HoldOrder): Promise<HeldPurchase> {
  const { database, settings } = deps
  const { genesisHash, slot, balance, rentExemptMinimum } = await readChain(deps, order.buyer)
  const placed = requireNoRefusal(
    await insertHold(database, order, {
      reference: newReference(),
      genesisHash,
      heldAtSlot: slot,
      spendable: spendableLamports(balance, rentExemptMinimum),
      holdSeconds: settings.holdSeconds,
    }),
  )
  if (!placed) throw new Error('the database neither placed nor refused a hold')
  return placed
}

function requireNoRefusal({ refusal, hold }: HoldOutcome): HeldPurchase | undefined {
  if (refusal) throw holdFailure(refusal)
  return hold
}

async function readChain({ chain }: PurchaseDeps, buyer: WalletAddress): Promise<ChainReading> {
  const [genesisHash, balance, rentExemptMinimum] = await Promise.all([
    chain.genesisHash(),
    chain.balance(buyer),
    chain.rentExemptMinimum(),
  ])
  // The reading of the balance has told the slot: asked for afterwards, it costs no request of its own.
  return { genesisHash, slot: await chain.highestSlot(), balance, rentExemptMinimum }
}
