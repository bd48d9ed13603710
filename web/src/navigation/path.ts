import { useEffect, useSyncExternalStore } from 'react'

import { marketSettings } from '../settings/market-settings.ts'

const inBrowser = typeof location !== 'undefined'
const listeners = new Set<() => void>()
let shown = inBrowser ? location.pathname : '/'
let query = inBrowser ? location.search : ''

if (inBrowser) addEventListener('popstate', () => showPath(location.pathname, location.search))

/** The path of the page that is shown. The browser's back and forward buttons change it, too. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, shownPath, shownPath)
}

/** Shows the page at another path, without a trace in the browser's history. */
export function showPath(path: string, search = ''): void {
  // What has a title of its own says so when it is shown. The one before may have come with the HTML.
  if (inBrowser && path !== shown) document.title = marketSettings().title
  shown = path
  query = search
  listeners.forEach((listener) => listener())
}

/**
 * Shows the page at another path, as a new entry of the browser's history.
 *
 * @param scroll false if the page stays where it is, because what is shown at that path is above it
 */
export function goTo(path: string, { scroll = true } = {}): void {
  history.pushState({}, '', path)
  showPath(path)
  if (scroll) scrollTo(0, 0)
}

/** The query that the page was opened with, with its question mark; empty for none. */
export function shownQuery(): string {
  return query
}

/** The same for use outside of components. */
export function shownPath(): string {
  return shown
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sets the page's title like the server does in the HTML; undefined leaves it unchanged. */
export function useTitle(name: string | undefined): void {
  // Rendered again, so that a page of the same name says so at its own address.
  usePath()
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · ${marketSettings().title}`
  })
  useEffect(() => {
    if (name === undefined) return undefined
    return () => {
      document.title = marketSettings().title
    }
  }, [name])
}
