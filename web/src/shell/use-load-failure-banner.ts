import { messages } from '@juicebar/contract/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { ApiError } from '../api/api-error.ts'
import { useNotices } from '../feedback/use-notices.ts'
import { type LiveState } from '../realtime/live-state.ts'

/** Says in the banner that something could not be loaded (specification, section 8), unless the query is `quiet`. */
export function useLoadFailureBanner({ live, online }: { live: LiveState; online: boolean }): void {
  const queries = useQueryClient().getQueryCache()
  const { showBanner } = useNotices()
  useEffect(() => {
    // Until the server has answered, the banner shows the server's own failure.
    if (!online) return undefined
    return queries.subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'error') return
      const { meta, state } = event.query
      // While everything is polled, the screen keeps its data, and the badge says that it may be old.
      const polled = live === 'reconnecting' && state.data !== undefined
      if (!meta?.quiet && !polled && !isSessionRefusal(event.action.error)) showBanner(messages.loadFailed)
    })
  }, [queries, live, online, showBanner])
}

/** True if the session has ended, which has its own message. */
function isSessionRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}
