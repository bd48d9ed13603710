import { QueryClient } from '@tanstack/react-query'

import { ApiError, isPassing } from './api-error.ts'
import { readJwt } from './client.ts'

const FIRST_RETRY_MS = 800

/** The first part of every query key whose data only the signed-in wallet may see. */
export const MINE = 'mine'

/** The key of the check whether the server is there. */
export const HEALTH = ['health'] as const

declare module '@tanstack/react-query' {
  interface Register {
    /** `quiet`: the query's own component reports its failure, so the banner does not. */
    queryMeta: { quiet?: boolean }
    /** `processing`: what the Processing overlay says while the action runs; an action without it leaves the app usable. */
    mutationMeta: { processing?: string }
  }
}

/** Everything the web app has loaded from the server, and every action under way. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A component that mounts during a logout must not request data that only the owner may see.
      enabled: ({ queryKey: [owner] }) => owner !== MINE || readJwt() !== undefined,
      staleTime: 10_000,
      // While the server is known to be away, only the check of its health asks for it again.
      retry: (failures, error) => failures < 2 && isPassing(error) && !isServerAway(),
      retryDelay: (failures, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : FIRST_RETRY_MS * 2 ** failures,
    },
    // Offline, an action fails at once. It must not run later, when it is no longer expected.
    mutations: { networkMode: 'always' },
  },
})

/** Whether the last check of the server's health failed. */
export function isServerAway(): boolean {
  const health = queryClient.getQueryState(HEALTH)
  return health !== undefined && health.errorUpdatedAt > health.dataUpdatedAt
}
