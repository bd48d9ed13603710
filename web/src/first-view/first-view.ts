import { type FirstViewData, FIRST_VIEW_ID } from '@juicebar/contract/first-view'

import { noteEventId, noteMarketAge } from '../api/client.ts'
import { healthQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { type Need } from './need.ts'
import { needsOf } from './needs.ts'

/** Fills the caches with what a page's first view shows. */
export function keepReplies(needs: readonly Need[], { lastEventId, replies }: FirstViewData): void {
  noteEventId(lastEventId)
  noteMarketAge(0)
  for (const { path, keep } of needs) keep(replies[path] as never)
}

let adopted = false

/**
 * Starts from the first view that the server has put into this page.
 *
 * @returns whether there is one
 */
export async function adoptFirstView(): Promise<boolean> {
  const block = document.getElementById(FIRST_VIEW_ID)?.textContent
  if (!block) return false
  keepReplies(await needsOf({ path: location.pathname, search: location.search }), JSON.parse(block) as FirstViewData)
  adopted = true
  return true
}

/** Whether all that is known of the server is its page: no check of its health has succeeded yet. */
export function isOnlyFirstView(): boolean {
  return adopted && queryClient.getQueryState(healthQuery.queryKey)?.dataUpdateCount === 1
}
