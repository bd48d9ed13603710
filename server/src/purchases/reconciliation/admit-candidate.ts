import { setTimeout as sleep } from 'node:timers/promises'

import { type Chain } from '../../chain/chain.ts'
import { CandidateBudget } from './candidate-budget.ts'

/** One for each chain client. */
const budgets = new WeakMap<Chain, CandidateBudget>()

/**
 * Waits for a turn to read a transaction from the chain that may be the payment of a purchase, or the refund of a case, and that anybody can
 * have made.
 * @returns false if there is none soon: it is left for a later round
 */
export async function admitCandidate(chain: Chain, subject: string): Promise<boolean> {
  const budget = budgets.get(chain) ?? new CandidateBudget()
  budgets.set(chain, budget)
  const wait = budget.take(subject, chain.budget().perSecond, performance.now())
  if (wait !== undefined && wait > 0) await sleep(wait)
  return wait !== undefined
}
