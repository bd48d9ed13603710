import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { lamportsToSol } from '@juicebar/contract/money'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { readFacts } from '../reservation/facts-store.ts'
import { type OrderedItem, soundItems, refusalFailure } from '../reservation/order.ts'
import { plannedTransfers, type ReservationFacts, type ReservationPlan } from '../reservation/reservation.ts'
import { decideReservation } from '../reservation/reservation-decision.ts'

interface OfferOrder {
  buyer: WalletAddress
  items: readonly OrderedItem[]
  /** The most that the buyer will pay in total, including the fee. */
  mostLamports: bigint | undefined
  /** The public identifier of the checkout that it would pay for. */
  checkout?: string | undefined
}

/**
 * Says what to pay for listings, or parts of them, with a payment that only the market can send. Writes nothing. What is refused here
 * would certainly be refused later.
 * @throws CO_SIGN_OFF, the codes of `Refusal`, TOO_MANY_ITEMS, SAME_LISTING_TWICE, CHAIN_BUSY or CHAIN_DOWN
 */
export async function makeOffer(deps: PurchaseDeps, order: OfferOrder): Promise<Reply<'offer'>['offer']> {
  try {
    const offer = await decideOffer(deps, order)
    deps.observer?.offered()
    return offer
  } catch (error) {
    if (error instanceof Failure) deps.observer?.holdRefused(error.code)
    throw error
  }
}

async function decideOffer(
  deps: PurchaseDeps,
  { buyer, items: asked, mostLamports, checkout }: OfferOrder,
): Promise<Reply<'offer'>['offer']> {
  const { database, chain, catalogue, settings, references, coSigners } = deps
  if (!settings.coSign) throw new Failure('CO_SIGN_OFF')
  const items = soundItems(asked)
  const ids = items.map(({ listingId }) => listingId)
  const facts = await readFacts(database, buyer, ids, { checkout })
  const order = { kind: 'payment', buyer, items, paysTransfers: true, mostLamports, fee: settings.fee, checkout } as const
  const decision = decideReservation(facts, order)
  if (decision.kind === 'refused') throw refusalFailure(decision.refusal, catalogue)
  if (decision.kind === 'repeated') throw new Error('an offer has no payment that could be known')
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash()
  return {
    ...termsReply(deps, decision.plan, facts),
    reference: references.make('purchase', buyer),
    coSigner: coSigners.current,
    blockhash,
    lastValidBlockHeight: Number(lastValidBlockHeight),
  }
}

function termsReply({ catalogue, settings }: PurchaseDeps, plan: ReservationPlan, { listings }: ReservationFacts) {
  return {
    items: plan.items.map(({ listingId, seller, tokenType, amount, lamports }) => ({
      listingId,
      partOf: listings.get(listingId)?.partOf ?? null,
      seller,
      tokenType,
      tokenName: catalogue.nameOf(tokenType),
      amount,
      lamports: String(lamports),
      price: lamportsToSol(lamports),
    })),
    transfers: plannedTransfers(plan, settings.fee.wallet).map((transfer) => ({ ...transfer, lamports: String(transfer.lamports) })),
    fee: { lamports: String(plan.feeLamports), basisPoints: settings.fee.basisPoints },
    lamports: String(plan.lamports),
    price: lamportsToSol(plan.lamports),
  }
}
