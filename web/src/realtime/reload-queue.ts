import { hashKey, matchQuery, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'

/** The pause after a reload, in milliseconds for each request of it: however fast events come, fewer than one request a second. */
const PAUSE_MS = 1_250

export interface ReloadQueue {
  /** Marks data as stale. The part that is on the screen is reloaded at once, or with the next reload if the last one was just now. */
  add(queryKey: QueryKey): void
  /** The same, after a time in milliseconds. */
  addLater(queryKey: QueryKey, milliseconds: number): void
}

/** Reloads data that events have made stale, in batches and at a bounded rate. */
export function createReloadQueue(client: QueryClient): ReloadQueue {
  const waiting = new Map<string, QueryKey>()
  const delayed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const reload = () => {
    const queryKeys = [...waiting.values()]
    waiting.clear()
    const predicate = (query: Query) => queryKeys.some((queryKey) => matchQuery({ queryKey }, query))
    const requests = client
      .getQueryCache()
      .findAll({ type: 'active', predicate })
      .reduce((sum, query) => sum + requestsOf(query), 0)
    // Never rejects: a failure shows where the data would be.
    void client.invalidateQueries({ predicate })
    timer = requests > 0 ? setTimeout(proceed, requests * PAUSE_MS) : undefined
  }
  const proceed = () => {
    timer = undefined
    if (waiting.size > 0) reload()
  }
  const add = (queryKey: QueryKey) => {
    waiting.set(hashKey(queryKey), queryKey)
    // Not before the current batch of events has been read, so that they share one reload.
    timer ??= setTimeout(reload)
  }
  return {
    add,
    addLater(queryKey, milliseconds) {
      const hash = hashKey(queryKey)
      if (delayed.has(hash)) return
      delayed.add(hash)
      setTimeout(() => {
        delayed.delete(hash)
        add(queryKey)
      }, milliseconds)
    },
  }
}

/** A list that was loaded page by page is reloaded page by page. */
function requestsOf({ state: { data } }: Query): number {
  return typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) ? data.pages.length : 1
}
