import { Failure } from '@juicebar/contract/errors'

import { type Chain, type Simulation } from '../../chain/chain.ts'
import { mayBegin, type Turn } from './simulation-turns.ts'

const RETRY_SECONDS = 1

/** Of this server, for each chain client. */
const underWay = new WeakMap<Chain, Set<Turn>>()

/**
 * Asks the chain what a payment would do, as soon as it is this wallet's turn.
 * @throws CHAIN_BUSY if it is not, or CHAIN_DOWN: neither says anything about the payment
 */
export async function simulatePayment(chain: Chain, bytes: Uint8Array, turn: Turn): Promise<Simulation> {
  const turns = underWay.get(chain) ?? new Set<Turn>()
  underWay.set(chain, turns)
  if (!mayBegin([...turns], turn, { saturated: chain.isSaturated() })) throw new Failure('CHAIN_BUSY', { retryAfter: RETRY_SECONDS })
  turns.add(turn)
  try {
    return await chain.simulate(bytes, { awaitsCoSigner: turn.buyer })
  } finally {
    turns.delete(turn)
  }
}
