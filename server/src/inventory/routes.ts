import { Failure } from '@juicebar/contract/errors'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Api } from '../http/route.ts'
import { readBalances } from './ledger-store.ts'

/** A player's own balance. */
export function inventoryRoutes(api: Api, database: Database, catalogue: Catalogue): void {
  api.player('balance', 'read', async ({ params, player }) => {
    if (params.walletAddress !== player) throw new Failure('NOT_YOUR_BALANCE')
    return { balances: await readBalances(database, player, catalogue) }
  })
}
