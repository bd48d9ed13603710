import { parseSignature, type Signature } from '@juicebar/contract/addresses'

import { type Commitment, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { whole } from './whole-number.ts'

/** Most signatures that `getSignatureStatuses` takes (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
export const STATUSES_A_CALL = 256

export interface StatusReply {
  slot: bigint
  err: unknown
  confirmations: bigint | null
  confirmationStatus: Commitment | null
}

export interface EntryReply {
  signature: string
  slot: bigint
  err: unknown
}

const ranks: Record<Commitment, number> = { processed: 0, confirmed: 1, finalized: 2 }

/** Reads one status of a `getSignatureStatuses` reply. */
export function readStatus(reply: StatusReply): SignatureStatus {
  return { slot: whole(reply.slot), commitment: reply.confirmationStatus ?? oldStyleCommitment(reply), failed: reply.err !== null }
}

/** The status that proves more: the higher commitment, and of equal ones the later slot. */
export function betterStatus(one: SignatureStatus | undefined, other: SignatureStatus): SignatureStatus {
  if (!one) return other
  const lead = ranks[other.commitment] - ranks[one.commitment]
  return lead > 0 || (lead === 0 && other.slot > one.slot) ? other : one
}

/** Reads one entry of a `getSignaturesForAddress` reply. Throws where its signature is none. */
export function readEntry(reply: EntryReply): SignatureEntry {
  return { signature: readSignature(reply.signature), slot: whole(reply.slot), failed: reply.err !== null }
}

function readSignature(text: string): Signature {
  const signature = parseSignature(text)
  if (!signature) throw new Error('the endpoint gave a signature that is none')
  return signature
}

/** Nodes that tell no commitment tell the number of confirmations, null once the slot is rooted. */
function oldStyleCommitment(reply: StatusReply): Commitment {
  return reply.confirmations === null ? 'finalized' : 'processed'
}
