import { type Chain } from '../../../chain/chain.ts'
import { type Database } from '../../../database/connect.ts'
import { type FailureLog } from '../../../logging/failure-log.ts'
import { startRepeating } from '../../../repeat.ts'
import { insertSeenSlot } from './chain-slot-store.ts'

const EVERY_MILLIS = 20_000
/** Several servers together record no more than a single one. */
const EVERY_SECONDS = 15

interface SlotDeps {
  database: Database
  chain: Chain
  failures: FailureLog
}

/**
 * Regularly records the chain's slot in the database, so that a backup shows from which slot on the chain knows more.
 * @returns a function that stops it
 */
export function startRecordingSlots({ database, chain, failures }: SlotDeps): () => Promise<void> {
  const record = async () => {
    // The highest slot comes with other answers, and is requested only if there were none.
    if (!chain.isUp()) return
    const [genesisHash, slot] = await Promise.all([chain.genesisHash(), chain.highestSlot()])
    await insertSeenSlot(database, { genesisHash, slot, seconds: EVERY_SECONDS })
  }
  return startRepeating(record, { everyMillis: EVERY_MILLIS, failures, failure: 'how far the chain is could not be noted; trying again' })
}
