import { type ReactNode, useSyncExternalStore } from 'react'

/** False on the server and for the first view of a page that it rendered; true once the page is alive. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  )
}

/** What only the browser knows or downloads later; `fallback` holds its place in the first view. */
export function InBrowser({ children, fallback = null }: { children: ReactNode; fallback?: ReactNode }): ReactNode {
  return useHydrated() ? children : fallback
}
