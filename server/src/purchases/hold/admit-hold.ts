import { Failure } from '@juicebar/contract/errors'

import { type Chain } from '../../chain/chain.ts'
import { decideAdmission, noReservations, type Reservations, returnReservation } from './admission.ts'

/** Requests that a purchase is expected to cost whose payment the wallet sends (docs/scaling.md). */
const REQUESTS = 5

/** Of this server, for each chain client. */
const reservations = new WeakMap<Chain, Reservations>()

/**
 * Reserves the part of the chain budget that a purchase will cost.
 *
 * @returns a function that cancels the reservation if the hold is not placed after all.
 * @throws CHAIN_BUSY, with an honest time to try again, if there is no room for it
 */
export function admitHold(chain: Chain): () => void {
  const { perSecond, backlogSeconds } = chain.budget()
  // No endpoint serves this chain now. That is an outage, which the next request reports.
  if (perSecond === 0) return () => undefined
  const demand = { now: performance.now() / 1000, perSecond, backlogSeconds, requests: REQUESTS }
  const admission = decideAdmission(reservations.get(chain) ?? noReservations, demand)
  reservations.set(chain, admission.reservations)
  if (admission.kind === 'busy') throw new Failure('CHAIN_BUSY', { retryAfter: admission.retryAfter })
  return () => void reservations.set(chain, returnReservation(reservations.get(chain) ?? noReservations, { perSecond, requests: REQUESTS }))
}
