import { messages } from '@juicebar/contract/messages'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { growingPause } from '../api/growing-pause.ts'
import { useMarketTime } from '../api/client.ts'
import { allListings, configQuery, healthQuery, keys, listingsQuery, reload } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { isOnlyFirstView } from '../first-view/first-view.ts'
import { useNotices } from '../feedback/notices.ts'

/** away: the server or its database cannot be reached, and the last known market is shown. offline: there is nothing to show, either. */
export type BackendStatus = 'checking' | 'online' | 'away' | 'offline'

/** The first pause before checking whether the server is available again, in milliseconds. */
const FIRST_CHECK_MS = 2_000

/**
 * Checks on load whether the server is online, and reads its public settings; if it is offline or an outage is reported, checks until it is
 * online again.
 */
export function useBackend(): { backend: BackendStatus; config: PublicConfig | undefined } {
  const { showBanner, dismissBanner } = useNotices()
  const health = useQuery(healthQuery)
  const market = useInfiniteQuery({ ...listingsQuery(allListings), enabled: false })
  const { data: config } = useQuery(configQuery)
  const backend = statusOf(health, market)
  useEffect(() => {
    // The page came with an answer of the server's; the check on load (specification, section 4) is made all the same.
    if (isOnlyFirstView()) reload(keys.health)
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
  }, [backend, showBanner, dismissBanner])
  return { backend, config }
}

/** Reloads everything that was loaded, or failed to load, since the market was last known to be current. */
function catchUp(): void {
  const { asOf } = useMarketTime.getState()
  void queryClient.invalidateQueries({ predicate: ({ state }) => Math.max(state.dataUpdatedAt, state.errorUpdatedAt) > asOf })
}

/** What the query client knows of a request that is made again and again. */
interface Asked<Data> {
  data: Data | undefined
  dataUpdatedAt: number
  errorUpdatedAt: number
}

/** While a failed request is repeated, its failure still counts. */
function statusOf(health: Asked<{ status: string }>, market: Asked<unknown>): BackendStatus {
  const failed = health.errorUpdatedAt > health.dataUpdatedAt
  if (!failed && !health.data) return 'checking'
  if (!failed && health.data?.status === 'ok') return 'online'
  if (market.data && !(isOnlyFirstView() && market.errorUpdatedAt > 0)) return 'away'
  return market.errorUpdatedAt > 0 ? 'offline' : 'checking'
}
