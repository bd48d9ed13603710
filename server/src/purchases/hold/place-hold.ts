import { Failure } from '@juicebar/contract/errors'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'

import { type PurchaseDeps } from '../purchase-deps.ts'
import { admitHold } from './admit-hold.ts'
import { holdFailure, type HoldOrder, requireSound, spendableLamports } from './hold.ts'
import { checkHold, type HeldPurchase, type HoldOutcome, type HoldTerms, insertHold } from './hold-store.ts'

/** What the chain answered before the transaction began. */
interface ChainReading {
  genesisHash: string
  slot: bigint
  balance: Lamports
  rentExemptMinimum: Lamports
  /** For the sellers who would receive less than that minimum. */
  balances: { wallet: WalletAddress; lamports: Lamports }[]
}

/**
 * Holds listings, or parts of them, for a buyer who is about to pay. Asking again returns the same hold. Orders that can be refused without
 * the chain are refused first, because requests to the chain are scarce; `place_hold` decides again under its locks.
 * @throws the codes of `HoldRefusal`, TOO_MANY_ITEMS, SAME_LISTING_TWICE, FEE_WALLET_EMPTY, CHAIN_BUSY or CHAIN_DOWN, if nothing is held;
 * PAYMENT_UNDER_WAY or HOLD_ENDED, if paying for the buyer's own hold would be a mistake.
 */
export async function placeHold(deps: PurchaseDeps, order: HoldOrder): Promise<HeldPurchase> {
  try {
    return await checkAndPlace(deps, order)
  } catch (error) {
    if (error instanceof Failure) deps.observer?.holdRefused(error.code)
    throw error
  }
}

async function checkAndPlace(deps: PurchaseDeps, order: HoldOrder): Promise<HeldPurchase> {
  requireSound(order.items)
  const checked = await checkHold(deps.database, order, deps.settings.fee)
  if (checked.kind !== 'open') return requireHold(deps, checked)
  const returnReservation = admitHold(deps.chain, order)
  try {
    return await placeAdmitted(deps, order, checked)
  } catch (error) {
    returnReservation()
    throw error
  }
}

async function placeAdmitted(deps: PurchaseDeps, order: HoldOrder, terms: HoldTerms): Promise<HeldPurchase> {
  const { database, settings, references, observer } = deps
  const { genesisHash, slot, balance, rentExemptMinimum, balances } = await readChain(deps, order.buyer, terms)
  const reference = references.make('purchase')
  const held = requireHold(
    deps,
    await insertHold(database, order, settings.fee, {
      reference,
      genesisHash,
      heldAtSlot: slot,
      spendable: spendableLamports(balance, rentExemptMinimum),
      holdSeconds: settings.holdSeconds,
      rentExemptMinimum,
      balances,
    }),
  )
  // Otherwise the buyer already had it.
  if (held.reference === reference) observer?.holdPlaced()
  return held
}

function requireHold({ catalogue }: PurchaseDeps, outcome: HoldOutcome): HeldPurchase {
  if (outcome.kind === 'refused') throw holdFailure(outcome.refusal, catalogue)
  return outcome.hold
}

/** @throws FEE_WALLET_EMPTY, CHAIN_BUSY or CHAIN_DOWN */
async function readChain({ chain, settings }: PurchaseDeps, buyer: WalletAddress, terms: HoldTerms): Promise<ChainReading> {
  const rentExemptMinimum = await chain.rentExemptMinimum()
  // A transfer that leaves its recipient below the minimum fails, and with it all other transfers of the transaction.
  const small = terms.received.filter(({ lamports }) => lamports < rentExemptMinimum)
  const feeWallet = terms.feeLamports > 0n ? settings.fee.wallet : undefined
  const [genesisHash, balance, ofFeeWallet, balances] = await Promise.all([
    chain.genesisHash(),
    chain.balance(buyer),
    feeWallet && chain.balance(feeWallet),
    Promise.all(small.map(async ({ seller: wallet }) => ({ wallet, lamports: await chain.balance(wallet) }))),
  ])
  if (ofFeeWallet !== undefined && ofFeeWallet + terms.feeLamports < rentExemptMinimum) throw new Failure('FEE_WALLET_EMPTY')
  // Reading the balance also returned the slot, so asking for the slot afterwards costs no extra request.
  return { genesisHash, slot: await chain.highestSlot(), balance, rentExemptMinimum, balances }
}
