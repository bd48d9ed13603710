import { type Signature } from '@juicebar/contract/addresses'

import { type ReadOptions, type SignatureEntry, type SignatureStatus, type WideReadOptions } from '../../../chain/chain.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { type PurchaseRow } from '../../purchase-store.ts'
import { purchaseFields } from '../../purchase-wait.ts'
import { type VerifiedCandidate } from '../../settlement/candidate.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { isRuledOut } from './rule-out-candidates.ts'

/** The newest transactions searched for a purchase. Before a hold is released, all of them are. */
const NEWEST = 100
/** New transactions read in one round, because each costs a request. The rest are read in later rounds. */
export const READS_PER_ROUND = 16

interface SearchOptions extends ReadOptions, WideReadOptions {
  /** Search the buyer's own transactions since the hold, too. */
  scanBuyer: boolean
}

/**
 * Signatures on the chain that carry the purchase's reference and, if requested, those of its buyer; oldest first.
 * @throws CHAIN_DOWN
 */
export async function searchRecent(
  { chain }: PurchaseDeps,
  purchase: PurchaseRow,
  { scanBuyer, ...options }: SearchOptions,
): Promise<Signature[]> {
  const { reference, buyer, heldAtSlot } = purchase
  const [referenced, own] = await Promise.all([
    // Nothing that carries it is older than the hold, whatever slot an endpoint told then.
    chain.recentSignatures(reference, 0n, NEWEST, options),
    scanBuyer ? chain.recentSignatures(buyer, heldAtSlot, NEWEST, options) : [],
  ])
  return landedSignatures([...referenced.toReversed(), ...own.toReversed()])
}

function landedSignatures(entries: readonly SignatureEntry[]): Signature[] {
  return [...new Set(entries.filter((entry) => !entry.failed).map((entry) => entry.signature))]
}

export interface ReadCandidates {
  candidates: VerifiedCandidate[]
  /** No candidate was left for a later round or could not be read. */
  allRead: boolean
}

/**
 * Reads and verifies candidates in their order, except those ruled out earlier. A candidate that cannot be read does not hide those after
 * it. For an open hold it stops at the first that pays.
 * @throws CHAIN_DOWN if not even their statuses can be read
 */
export async function readCandidates(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  signatures: readonly Signature[],
  options: ReadOptions = {},
): Promise<ReadCandidates> {
  const { chain } = deps
  const unread = signatures.filter((signature) => signature !== purchase.signature && !isRuledOut(chain, purchase.id, signature))
  const batch = unread.slice(0, READS_PER_ROUND)
  const statuses = batch.length > 0 ? await chain.statuses(batch) : new Map<Signature, SignatureStatus>()
  const candidates: VerifiedCandidate[] = []
  let unreadable = 0
  for (const signature of batch) {
    try {
      const candidate = await verifyCandidate(deps, purchase, candidateOf(chain, signature, statuses.get(signature), options))
      candidates.push(candidate)
      if (purchase.status === 'held' && candidate.verdict.kind === 'pays') break
    } catch (error) {
      unreadable += 1
      const fields = purchaseFields(purchase, { waitingFor: 'a transaction that may pay for it to be read' })
      deps.failures.failed(error, { ...fields, transaction: signature }, 'a candidate transaction could not be read; trying again')
      if (unreadable > 1) break
    }
  }
  return { candidates, allRead: candidates.length === unread.length }
}
