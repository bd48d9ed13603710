import { type Tx } from '../../database/transact.ts'
import { lockFacts, readFacts } from './facts-store.ts'
import { type BuyOrder } from './order.ts'
import { decideReservation, type ReservationDecision } from './reservation-decision.ts'
import { endUnsent } from './reservation-store.ts'

/**
 * Decides about an order in the transaction that will write what was decided: under the locks of all that the order concerns, from facts
 * that were read after they were taken.
 */
export async function decideOrder(tx: Tx, order: BuyOrder): Promise<ReservationDecision> {
  const { buyer } = order
  const ids = order.items.map(({ listingId }) => listingId)
  const first = await lockFacts(tx, buyer, ids, { waits: false })
  if (!first.locked) {
    const refusal = decideReservation(first.facts, order)
    if (refusal.kind === 'refused') return refusal
  }
  const { facts } = first.locked ? first : await lockFacts(tx, buyer, ids, { waits: true })
  const decision = decideReservation(facts, order)
  const ends = decision.kind === 'reserve' && [...facts.listings.values()].some(({ heldBy }) => heldBy?.endsUnsent)
  if (!ends) return decision
  // What ends may merge into what is ordered.
  await endUnsent(tx, ids)
  return decideReservation(await readFacts(tx, buyer, ids), order)
}
