import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Signature } from '@juicebar/contract/addresses'
import { type Chain, type FinalizedView, type SignatureEntry } from '../../chain/chain.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { RELEASE_MARGIN_BLOCKS } from '../purchase/purchase.ts'
import { endWait, mayWait, SHOWN_SECONDS } from '../purchase/wait-for-endpoints.ts'
import { CandidateBudget } from './history-search.ts'

type RecordedBytes = Pick<PaymentRow, 'signature' | 'genesisHash' | 'expiryHeight'>

/** An account of a transaction, under which the chain finds it, and the earliest slot in which it could have landed. */
export interface Trace {
  address: string
  sinceSlot: bigint
}

/** Of 1,000 transactions each that name an account: more are not read at once. */
export const MOST_PAGES = 100

/**
 * Whether recorded transaction bytes can never land (again): their blockhash expired at a finalized height, and the finalized chain,
 * read at that height, shows no such transaction that succeeded, neither by its signature nor under its accounts. Absence anywhere else
 * proves nothing, nor does an endpoint that has dropped the blocks since. Also, no endpoint may be able to show the transaction: one that
 * can overrules all the others; what one only lists counts for a minute.
 * @throws CHAIN_DOWN
 */
export async function isProvedExpired(
  chain: Chain,
  finalized: FinalizedView,
  payment: RecordedBytes,
  traces: readonly Trace[],
): Promise<boolean> {
  if (finalized.genesisHash !== payment.genesisHash || finalized.height <= payment.expiryHeight + RELEASE_MARGIN_BLOCKS) return false
  const status = await finalized.statusOf(payment.signature)
  const listed: Pick<SignatureEntry, 'failed'>[] = status ? [status] : []
  const claim = `${payment.signature} claimed`
  const transaction = await chain.transaction(payment.signature)
  if (transaction && !transaction.failed) {
    endWait(chain, claim)
    return false
  }
  const histories = await Promise.all(traces.map(({ address, sinceSlot }) => finalized.history(address, { sinceSlot, pages: MOST_PAGES })))
  for (const part of histories) {
    if (part.kind !== 'part' || part.older !== undefined) return false
    listed.push(...part.entries.filter(({ signature }) => signature === payment.signature))
  }
  const isClaimed = listed.some(({ failed }) => !failed)
  return !(isClaimed && mayWait(chain, claim, SHOWN_SECONDS))
}

/** Beyond this number, those that did not turn up for longest are forgotten, and read again if they do. */
const MAX_KEPT = 100_000

/**
 * Finalized transactions that do not settle a purchase and never will. Each is read once, however often it is found; otherwise anyone could
 * keep this server busy by sending many transactions with a purchase's reference. Kept for each chain client.
 */
const ruledOut = new WeakMap<Chain, LRUCache<string, true>>()

export function isRuledOut(chain: Chain, subject: string, signature: Signature): boolean {
  return ruledOut.get(chain)?.get(`${subject} ${signature}`) ?? false
}

/** What is ruled out for a purchase: what is older than it may not be once its slot has come down. */
export function candidatesFor({ id, heldAtSlot }: { id: string; heldAtSlot: bigint }): string {
  return `${id} ${heldAtSlot}`
}

export function ruleOut(chain: Chain, subject: string, signature: Signature): void {
  const kept = ruledOut.get(chain) ?? new LRUCache({ max: MAX_KEPT })
  ruledOut.set(chain, kept)
  kept.set(`${subject} ${signature}`, true)
}

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
