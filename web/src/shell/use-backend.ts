import { messages } from '@juicebar/contract/messages'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'

import { growingPause } from '../api/growing-pause.ts'
import { useMarketTime } from '../api/client.ts'
import { allListings, configQuery, healthQuery, keys, listingsQuery, reload } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { isOnlyFirstView } from '../first-view/first-view.ts'
import { dismissBanner, showBanner } from '../feedback/notices.ts'
import { whenAlive } from '../ui/early-events.ts'

/** away: the server or its database cannot be reached, and the last known market is shown. offline: there is nothing to show, either. */
export type BackendStatus = 'checking' | 'online' | 'away' | 'offline'

/** The first pause before checking whether the server is available again, in milliseconds. */
const FIRST_CHECK_MS = 2_000

/**
 * Checks on load whether the server is online, and reads its public settings; if it is offline or an outage is reported, checks until it is
 * online again.
 */
export function useBackend(): { backend: BackendStatus; config: PublicConfig | undefined } {
  // Asked and kept here, and looked at below: the page is rendered again when the status changes, not with every answer.
  useQuery({ ...healthQuery, notifyOnChangeProps: [] })
  useInfiniteQuery({ ...listingsQuery(allListings), enabled: false, notifyOnChangeProps: [] })
  const { data: config } = useQuery(configQuery)
  const backend = useSyncExternalStore(watchAnswers, readStatus, readStatus)
  useEffect(() => {
    // The page came with an answer of the server's; the check on load (specification, section 4) is made all the same.
    if (isOnlyFirstView()) void whenAlive().then(() => reload(keys.health))
  }, [])
  useEffect(() => {
    if (backend === 'away' && isOnlyFirstView()) reload(keys.listings)
  }, [backend])
  useEffect(() => {
    if (backend !== 'away' && backend !== 'offline') return undefined
    const isOffline = backend === 'offline'
    if (isOffline) showBanner(messages.healthFailed)
    let timer: ReturnType<typeof setTimeout> | undefined
    const checkLater = (failures: number) => {
      timer = setTimeout(
        () => {
          reload(keys.health)
          if (isOffline) void queryClient.prefetchInfiniteQuery(listingsQuery(allListings))
          checkLater(failures + 1)
        },
        growingPause(failures, FIRST_CHECK_MS),
      )
    }
    checkLater(0)
    return () => {
      clearTimeout(timer)
      if (isOffline) dismissBanner()
      catchUp()
    }
  }, [backend])
  return { backend, config }
}

/** Reloads everything that was loaded, or failed to load, since the market was last known to be current. */
function catchUp(): void {
  const { asOf } = useMarketTime.getState()
  void queryClient.invalidateQueries({ predicate: ({ state }) => Math.max(state.dataUpdatedAt, state.errorUpdatedAt) > asOf })
}

function watchAnswers(onChange: () => void): () => void {
  return queryClient.getQueryCache().subscribe(({ type }) => type === 'updated' && onChange())
}

/** While a failed request is repeated, its failure still counts. */
function readStatus(): BackendStatus {
  const health = queryClient.getQueryState(healthQuery.queryKey)
  const failed = health !== undefined && health.errorUpdatedAt > health.dataUpdatedAt
  if (!failed && !health?.data) return 'checking'
  if (!failed && health.data?.status === 'ok') return 'online'
  const market = queryClient.getQueryState(listingsQuery(allListings).queryKey)
  const marketFailed = market !== undefined && market.errorUpdatedAt > 0
  if (market?.data && !(isOnlyFirstView() && marketFailed)) return 'away'
  return marketFailed ? 'offline' : 'checking'
}
