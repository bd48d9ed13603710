import { type Chain, type SignatureEntry } from '../../chain/chain.ts'
import { afterDeciding, afterPruning, beginWalk, entriesToDecide, type HistoryWalk } from './history-walk.ts'

/** What a walk does on its way. */
export interface Walking {
  /** Decides entries, the newest first. @returns how many of them, up to the first that it could not decide yet */
  decide(entries: readonly SignatureEntry[]): Promise<number>
  /** Saves how far the walk has come. @returns false to stop here */
  save(walk: HistoryWalk): Promise<boolean>
  /** Whether to read one more page. */
  goesOn(): boolean
  /** No endpoint keeps what landed before this slot, so it is left out. */
  onPruned(firstSlot: bigint): void
}

/**
 * Walks through the finalized history of an address, page by page, from where an earlier call stopped. There is no limit to its length.
 * @returns whether the walk has come to its end
 * @throws CHAIN_DOWN or CHAIN_BUSY
 */
export async function readHistory(chain: Chain, address: string, from: HistoryWalk, walking: Walking): Promise<boolean> {
  const pruned = new Set<string>()
  let walk = from
  while (walking.goesOn()) {
    const view = await (pruned.size > 0 ? chain.finalized({ except: pruned }) : chain.finalized())
    const begun = beginWalk(walk, view.slot)
    if (!begun) return true
    const part = await view.history(address, { sinceSlot: begun.doneSlot + 1n, before: begun.decidedTo ?? undefined, pages: 1 })
    let entries: SignatureEntry[] = []
    let decided = 0
    if (part.kind === 'part') {
      entries = entriesToDecide(begun, part)
      decided = await walking.decide(entries)
      walk = afterDeciding(begun, part, entries, decided)
    } else if (part.kind === 'unknownStart') {
      walk = { ...begun, decidedTo: null }
    } else {
      pruned.add(view.endpoint)
      if (!chain.endpoints().every((endpoint) => pruned.has(endpoint))) continue
      pruned.clear()
      walking.onPruned(part.firstSlot)
      walk = afterPruning(begun, part.firstSlot)
    }
    if (!(await walking.save(walk)) || decided < entries.length) return false
    if (walk.topSlot === null) return true
  }
  return false
}
