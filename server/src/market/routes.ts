import type pg from 'pg'

import { type Api, answered, type Call } from '../http/route.ts'
import { type FirstPages, firstPageKey, type RenderedPage } from './first-pages.ts'
import { cursorText, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'

/** GET /api/marketplace/listings: what is for sale, for everybody. First pages come from memory, with an entity tag. */
export function marketRoutes(api: Api, pool: pg.Pool, firstPages: FirstPages): void {
  api.open('listings', 'read', async (call): Promise<typeof answered> => {
    const query = readMarketQuery(call.query)
    const key = firstPageKey(query)
    if (key === undefined) return call.sendJson(await renderPage(pool, query))
    return sendTagged(call, await firstPages.get(key, () => renderPage(pool, query)))
  })
}

async function renderPage(pool: pg.Pool, query: MarketQuery): Promise<string> {
  const { listings, next } = await readMarketPage(pool, query)
  return `{"listings":[${listings}],"nextCursor":${next ? JSON.stringify(cursorText(query.sort, next)) : 'null'}}`
}

/** `no-cache` lets a browser keep the page, but it must ask each time; unchanged it costs no body. */
function sendTagged({ request, reply, sendJson }: Call<'listings'>, { json, etag }: RenderedPage): typeof answered {
  reply.header('etag', etag).header('cache-control', 'no-cache')
  if (!request.headers['if-none-match']?.includes(etag)) return sendJson(json)
  reply.code(304).send()
  return answered
}
