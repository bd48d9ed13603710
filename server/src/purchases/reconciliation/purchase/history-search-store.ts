import { sql } from 'kysely'

import { type Database } from '../../../database/connect.ts'
import { type Tx } from '../../../database/transact.ts'
import { now } from '../../../database/time.ts'
import { type HistorySearch } from './history-search.ts'

const columns = [
  'purchaseId',
  'endpoint',
  'address',
  'pages',
  'listedTo',
  'listed',
  'decidedTo',
  'decided',
  'obstacle',
  'firstSlot',
] as const satisfies (keyof HistorySearch)[]

/** How far the histories have been searched for a purchase, on all endpoints. */
export async function listHistorySearches(database: Database | Tx, purchaseId: string): Promise<HistorySearch[]> {
  return database.selectFrom('historySearches').select(columns).where('purchaseId', '=', purchaseId).execute()
}

/** An obstacle is permanent: no later search by another server can remove it. */
export async function saveHistorySearches(database: Database, searches: readonly HistorySearch[]): Promise<void> {
  await database
    .insertInto('historySearches')
    .values([...searches])
    .onConflict((conflict) =>
      conflict
        .columns(['purchaseId', 'endpoint', 'address'])
        .doUpdateSet((query) => ({
          pages: query.ref('excluded.pages'),
          listedTo: query.ref('excluded.listedTo'),
          listed: query.ref('excluded.listed'),
          decidedTo: query.ref('excluded.decidedTo'),
          decided: query.ref('excluded.decided'),
          obstacle: query.ref('excluded.obstacle'),
          firstSlot: query.ref('excluded.firstSlot'),
          updatedAt: now,
        }))
        .where(sql<boolean>`history_searches.obstacle is null`),
    )
    .execute()
}
