import { create } from 'zustand'

/** The path of the page that is shown. The browser's back and forward buttons change it, too. */
export const usePath = create(() => location.pathname)

addEventListener('popstate', () => usePath.setState(location.pathname, true))

/**
 * Shows the page at another path, as a new entry of the browser's history.
 *
 * @param scroll false if the page stays where it is, because what is shown at that path is above it
 */
export function goTo(path: string, { scroll = true } = {}): void {
  history.pushState({}, '', path)
  usePath.setState(path, true)
  if (scroll) scrollTo(0, 0)
}
