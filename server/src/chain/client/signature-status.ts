import { parseSignature, type Signature } from '@juicebar/contract/addresses'

import { type Commitment, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { requireInteger } from './require-integer.ts'

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
  return {
    slot: requireInteger(reply.slot),
    commitment: reply.confirmationStatus ?? commitmentByConfirmations(reply),
    failed: reply.err !== null,
  }
}

/** The status that proves more: the one with the higher commitment or, if equal, the later slot. */
export function betterStatus(one: SignatureStatus | undefined, other: SignatureStatus): SignatureStatus {
  if (!one) return other
  const lead = ranks[other.commitment] - ranks[one.commitment]
  return lead > 0 || (lead === 0 && other.slot > one.slot) ? other : one
}

/**
 * Reads one entry of a `getSignaturesForAddress` reply.
 *
 * @throws Error if its signature or slot is not one.
 */
export function readEntry(reply: EntryReply): SignatureEntry {
  return { signature: readSignature(reply.signature), slot: requireInteger(reply.slot), failed: reply.err !== null }
}

/** What endpoints have listed since a slot, each transaction once, newest first. Only what all of them list as failed is. */
export function newestEntries(found: readonly SignatureEntry[], sinceSlot: bigint): SignatureEntry[] {
  const distinct = new Map<Signature, SignatureEntry>()
  for (const entry of found) {
    if (entry.slot >= sinceSlot && distinct.get(entry.signature)?.failed !== false) distinct.set(entry.signature, entry)
  }
  return [...distinct.values()].toSorted((a, b) => Number(b.slot - a.slot))
}

function readSignature(text: string): Signature {
  const signature = parseSignature(text)
  if (!signature) throw new Error('the endpoint returned an invalid signature')
  return signature
}

/** RPC nodes that report no commitment report the number of confirmations, null once the slot is rooted. */
function commitmentByConfirmations(reply: StatusReply): Commitment {
  return reply.confirmations === null ? 'finalized' : 'processed'
}
