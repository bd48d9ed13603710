import { type Signature } from '@juicebar/contract/addresses'
import { type HistoryPart, type SignatureEntry } from '../../chain/chain.ts'

/** How far the finalized history of an address has been decided. A walk goes from its newest entry to what earlier walks have decided. */
export interface HistoryWalk {
  /** Everything up to this slot is decided. */
  doneSlot: bigint
  /** The walk under way decides everything up to this slot. Null between two walks. */
  topSlot: bigint | null
  /** The walk has come down to this signature. Null at its beginning. */
  decidedTo: Signature | null
}

/** RPC nodes list a transaction some time after its slot is finalized: what is newer is left to the next walk. */
export const LISTING_LAG_SLOTS = 64n

/** Endpoints go on dropping their oldest blocks while a history is read. */
const PRUNING_MARGIN_SLOTS = 100n

/** Up to which slot the history is complete, if the chain is finalized up to this one. */
export function listedSlot(finalizedSlot: bigint): bigint {
  return finalizedSlot > LISTING_LAG_SLOTS ? finalizedSlot - LISTING_LAG_SLOTS : 0n
}

/** A walk under way. */
export type WalkUnderWay = HistoryWalk & { topSlot: bigint }

type Part = Extract<HistoryPart, { kind: 'part' }>

/** The walk under way, or a new one. Undefined if there is nothing to walk yet. */
export function beginWalk(walk: HistoryWalk, finalizedSlot: bigint): WalkUnderWay | undefined {
  const topSlot = walk.topSlot ?? listedSlot(finalizedSlot)
  return topSlot > walk.doneSlot ? { ...walk, topSlot } : undefined
}

/** What a walk has to decide of a part of the history. */
export function entriesToDecide({ topSlot }: WalkUnderWay, part: Part): SignatureEntry[] {
  return part.entries.filter(({ slot }) => slot <= topSlot)
}

/** The walk after the first so many entries of a part were decided. */
export function afterDeciding(walk: WalkUnderWay, { older }: Part, entries: readonly SignatureEntry[], decided: number): HistoryWalk {
  if (decided < entries.length) return { ...walk, decidedTo: entries[decided - 1]?.signature ?? walk.decidedTo }
  if (older !== undefined) return { ...walk, decidedTo: older }
  return { doneSlot: walk.topSlot, topSlot: null, decidedTo: null }
}

/** The walk if no endpoint keeps what landed before a slot: only later slots can be walked. */
export function afterPruning(walk: WalkUnderWay, firstSlot: bigint): HistoryWalk {
  const doneSlot = firstSlot + PRUNING_MARGIN_SLOTS
  return doneSlot < walk.topSlot ? { ...walk, doneSlot } : { doneSlot: walk.topSlot, topSlot: null, decidedTo: null }
}
