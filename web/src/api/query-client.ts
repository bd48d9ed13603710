import { messages } from '@juicebar/contract/messages'
import { QueryCache, QueryClient } from '@tanstack/react-query'

import { showBanner } from '../feedback/notices.ts'
import { ApiError } from './api-error.ts'
import { liveState } from '../realtime/live-state.ts'
import { readToken } from './jwt.ts'

const FIRST_RETRY_MS = 800

/** What only the signed-in wallet may see has keys that begin with this. */
export const MINE = 'mine'

/** What the page remembers of the server's answers. A query with `meta.quiet` shows its failure by itself. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      const polling = liveState.get() === 'reconnecting' && query.state.data !== undefined
      if (!query.meta?.['quiet'] && !polling && !isRefusal(error)) showBanner(messages.loadFailed)
    },
  }),
  defaultOptions: {
    queries: {
      // A part that appears while its owner logs out must not ask for what only they may see.
      enabled: ({ queryKey: [owner] }) => owner !== MINE || readToken() !== undefined,
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
      retryDelay: (failures, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : FIRST_RETRY_MS * 2 ** failures,
    },
  },
})

function isWorthRetrying(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/** True where the session has ended: that has its own words. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status === 401
}
