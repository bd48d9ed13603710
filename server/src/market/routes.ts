import { type Database } from '../database/connect.ts'
import { type Api } from '../http/route.ts'
import { cursorText, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'

/** GET /api/marketplace/listings: what is for sale, for everybody. */
export function marketRoutes(api: Api, database: Database): void {
  api.open('listings', 'read', async ({ query }) => {
    const page = await readMarketPage(database, readMarketQuery(query))
    return { listings: page.listings, nextCursor: page.next ? cursorText(page.next) : null }
  })
}
