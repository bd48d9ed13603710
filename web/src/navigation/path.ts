import { useEffect, useSyncExternalStore } from 'react'

import { marketSettings } from '../settings/market-settings.ts'
import { whenIdle } from '../ui/lazy-component.ts'

const inBrowser = typeof location !== 'undefined'
const listeners = new Set<() => void>()
let shown = inBrowser ? location.pathname : '/'
let query = inBrowser ? location.search : ''

/** How long a page that was returned to may take to be as high as it was, in milliseconds. */
const RETURN_MS = 3000

if (inBrowser) {
  returnToPlace(0)
  addEventListener('popstate', () => {
    showPath(location.pathname, location.search)
    returnToPlace()
  })
}

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
  if (scroll) {
    // Browsers return to where one was only if the page is as high again at once. What is still being loaded or rendered is not.
    history.replaceState({ scroll: scrollY } satisfies Left, '')
    history.scrollRestoration = 'manual'
  }
  history.pushState({}, '', path)
  history.scrollRestoration = 'auto'
  showPath(path)
  if (scroll) scrollTo(0, 0)
}

/** What an entry of the browser's history knows of the page that was left there. */
interface Left {
  /** How far the page was scrolled, in pixels. */
  scroll?: number
}

/**
 * Scrolls to where the page was left as soon as it is high enough, unless somebody has scrolled meanwhile. Another page has another state.
 * @param from how far the page is scrolled if nobody has; undefined if that is not known
 */
function returnToPlace(from?: number, until = performance.now() + RETURN_MS): void {
  requestAnimationFrame(() => {
    const scroll = (history.state as Left | null)?.scroll
    if (scroll === undefined) return
    const isScrolled = from !== undefined && Math.abs(scrollY - from) > 1
    if (!isScrolled) scrollTo(0, scroll)
    if (!isScrolled && scrollY < scroll - 1 && performance.now() < until) return returnToPlace(scrollY, until)
    history.replaceState({}, '')
    // From then on, the browser knows better. While a page is loaded that was left by reloading it, it would scroll to the top.
    void whenIdle().then(() => {
      history.scrollRestoration = 'auto'
    })
  })
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
    if (name === undefined) return undefined
    document.title = `${name} · ${marketSettings().title}`
    return () => {
      document.title = marketSettings().title
    }
  })
}
