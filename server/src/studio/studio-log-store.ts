import { type EndpointName } from '@juicebar/contract/endpoints'

import { type Tx } from '../database/transact.ts'

export interface LogEntry {
  /** Whose key or wallet made the call. */
  actor: string
  call: EndpointName
  /** The identifier of what the call changed. */
  subject: string
  /** In the caller's words. */
  reason: string | null
}

/** Records what the studio did, in the transaction that does it. Entries are never changed. */
export async function insertLogEntry(tx: Tx, entry: LogEntry): Promise<void> {
  await tx.insertInto('studioLog').values(entry).execute()
}
