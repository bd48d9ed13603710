import { type Tx } from '../../database/transact.ts'
import { lockFacts } from './facts-store.ts'
import { type BuyOrder } from './order.ts'
import { type ReservationDecision, type ReservationFacts } from './reservation.ts'
import { decideReservation } from './reservation-decision.ts'

/** A decision, and the facts that it follows from. */
export interface DecidedOrder {
  decision: ReservationDecision
  facts: ReservationFacts
}

/**
 * Decides about an order in the transaction that will write what was decided: under the locks of all that the order concerns, from facts
 * that were read after they were taken.
 */
export async function decideOrder(tx: Tx, order: BuyOrder): Promise<DecidedOrder> {
  const { buyer, payment, network, checkout } = order
  const ids = order.items.map(({ listingId }) => listingId)
  const first = await lockFacts(tx, buyer, ids, { waits: payment !== undefined, payment, network, checkout })
  if (!first.locked) {
    const refusal = decideReservation(first.facts, order)
    if (refusal.kind === 'refused') return { decision: refusal, facts: first.facts }
  }
  const { facts } = first.locked ? first : await lockFacts(tx, buyer, ids, { waits: true, payment, network, checkout })
  return { decision: decideReservation(facts, order), facts }
}
