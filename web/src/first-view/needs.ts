import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { type PageAddress } from '@juicebar/contract/first-view'
import { DRINK_PATH } from '@juicebar/contract/market-settings'

import { fillPath } from '../api/client.ts'
import { allListings, configQuery, healthQuery, type ListingFilter, listingsQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'

/** A call whose reply a first view shows. */
export interface Need {
  /** Its path and query. */
  path: string
  /** Puts its reply where the components look for it. */
  keep: (body: never) => void
}

/** The calls whose replies the first view of a page shows; none if the page has no first view. */
export async function needsOf({ path }: PageAddress): Promise<readonly Need[]> {
  if (path === '/') return [health, config, listings(allListings)]
  if (path.startsWith(DRINK_PATH)) return [health, config, ...(await import('./drink-needs.ts')).drinkNeeds(path.slice(DRINK_PATH.length))]
  return []
}

/** A need of the reply to `endpoint`, such as `GET /health`. */
export function need(endpoint: string, query: object | undefined, keep: Need['keep']): Need {
  const [, template = ''] = endpoint.split(' ')
  return { path: fillPath(template, { query }), keep }
}

const health = need(playerEndpoints.health, undefined, (body) => queryClient.setQueryData(healthQuery.queryKey, body))
const config = need(playerEndpoints.config, undefined, (body) => queryClient.setQueryData(configQuery.queryKey, body))

function listings(filter: ListingFilter): Need {
  return need(playerEndpoints.listings, filter, (body) =>
    queryClient.setQueryData(listingsQuery(filter).queryKey, { pages: [body], pageParams: [''] }),
  )
}
