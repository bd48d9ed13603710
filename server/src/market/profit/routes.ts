import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type DatabaseConnection } from '../../database/connect.ts'
import { type Api } from '../../http/api/route.ts'
import { stampSales } from '../figures/roll-up-store.ts'
import { readEntries } from './ledger-entry-store.ts'
import { entryCursor, entryReply, parseEntryCursor } from './ledger-entry.ts'
import { createProfits } from './read-profit.ts'

/** What a player bought, sold, received and used, and what that earned. */
export function profitRoutes(api: Api, connection: Pick<DatabaseConnection, 'database' | 'readPool'>): void {
  const readProfit = createProfits(connection)

  api.player('profit', 'read', ({ player }) => readProfit(player))

  api.player('myLedger', 'read', async ({ query: { cursor, limit = LISTINGS_PAGE }, player }) => {
    const after = cursor ? parseEntryCursor(cursor) : undefined
    await stampSales(connection.database)
    const { entries, next } = await readEntries(connection.readPool, { wallet: player, limit, after })
    return { entries: entries.map(entryReply), nextCursor: next ? entryCursor(next) : null }
  })
}
