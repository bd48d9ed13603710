import { type Signature } from '@juicebar/contract/addresses'

import { type LandedTransaction, type SignatureStatus } from '../chain.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { readStatusesOnce, type Statuses } from './read-statuses.ts'

/** The most transactions read per request because endpoints disagree about them; the others are checked again later. */
const MAX_DISPUTED = 8

/**
 * Asks whether payments are final, or have failed, at most 256 of them. Where there are several endpoints, two of them must say so; and
 * where one knows a payment that the other does not, only the transaction itself counts. So an endpoint that lies about statuses does not
 * have the last word.
 * @param readTransaction from any endpoint.
 * @returns the certain statuses; signatures that are not on the chain are absent.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if no endpoint answers.
 */
export async function readFinality(
  pool: RpcPool,
  signatures: readonly Signature[],
  readTransaction: (signature: Signature) => Promise<LandedTransaction | undefined>,
): Promise<Statuses> {
  const first = await readStatusesOnce(pool, signatures)
  if (pool.endpoints.length === 1) return first.statuses
  const doubtful = signatures.filter((signature) => isDoubtful(first.statuses.get(signature)))
  if (doubtful.length === 0) return first.statuses
  const second = await readStatusesOnce(pool, doubtful, first.endpoint)
  const agreed: Statuses = new Map(first.statuses)
  const disputed: Signature[] = []
  for (const signature of doubtful) {
    const [one, other] = [first.statuses.get(signature), second.statuses.get(signature)]
    if (second.endpoint === first.endpoint) setOrDelete(agreed, signature, one && notFinal(one))
    else if (one && other) agreed.set(signature, agreementOf(one, other))
    else if (one ?? other) disputed.push(signature)
  }
  for (const [index, signature] of disputed.entries()) {
    const known = first.statuses.get(signature) ?? second.statuses.get(signature)
    const landed = index < MAX_DISPUTED ? await readTransaction(signature) : known
    setOrDelete(agreed, signature, landed && { slot: landed.slot, commitment: 'confirmed', failed: landed.failed })
  }
  return agreed
}

/** Only absent, failed and final statuses have consequences. */
function isDoubtful(status: SignatureStatus | undefined): boolean {
  return !status || status.failed || status.commitment === 'finalized'
}

function notFinal(status: SignatureStatus): SignatureStatus {
  return status.commitment === 'finalized' ? { ...status, commitment: 'confirmed' } : status
}

/** The status that both support: the lower commitment, or only `processed` if they disagree about the outcome. */
function agreementOf(one: SignatureStatus, other: SignatureStatus): SignatureStatus {
  if (one.failed !== other.failed) return { ...one, commitment: 'processed', failed: false }
  return one.commitment === 'finalized' ? other : one
}

function setOrDelete(statuses: Statuses, signature: Signature, status: SignatureStatus | undefined): void {
  if (status) statuses.set(signature, status)
  else statuses.delete(signature)
}
