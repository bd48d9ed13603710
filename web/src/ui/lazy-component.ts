import { type ComponentType, lazy } from 'react'

const loaders: (() => Promise<unknown>)[] = []

/** A component that is downloaded when it is first shown, or before, when the browser has nothing else to do. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** Downloads every lazy part in the browser's idle time, one after another; none where the user saves data. */
export function prefetchWhenIdle(): void {
  if (savesData()) return
  const [next, ...others] = loaders.splice(0)
  loaders.push(...others)
  if (!next) return
  const idle = window.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 1_500))
  idle(() => {
    next()
      .catch(() => undefined)
      .finally(prefetchWhenIdle)
  })
}

/** Browsers without the Network Information API are taken to save nothing. */
function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
}
