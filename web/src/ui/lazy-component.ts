import { type ComponentType, lazy } from 'react'

const loaders: (() => Promise<unknown>)[] = []

/** A component that is downloaded when it is first shown, or earlier, when the browser is idle. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** Downloads every lazy component in the browser's idle time, one after another; none if the person saves data. */
export function prefetchWhenIdle(): void {
  if (savesData()) return
  const [next, ...others] = loaders.splice(0)
  loaders.push(...others)
  if (!next) return
  const idle = window.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 1_500))
  idle(() => {
    // A download that fails now is tried again, and reported, when the component is needed.
    next()
      .catch(() => undefined)
      .finally(prefetchWhenIdle)
  })
}

/** Browsers without the Network Information API are assumed to save nothing. */
function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
}
