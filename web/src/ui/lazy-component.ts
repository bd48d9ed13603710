import { type ComponentType, lazy } from 'react'

import { whenIdle } from './first-load.ts'

const loaders: (() => Promise<unknown>)[] = []

/** A component that is downloaded when it is first shown, or earlier, when the browser is idle. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** Downloads every lazy component in the browser's idle time, one after another; none if the person saves data. */
export async function prefetchWhenIdle(): Promise<void> {
  if (savesData()) return
  for (let next = loaders.shift(); next; next = loaders.shift()) {
    await whenIdle()
    // A download that fails now is tried again, and reported, when the component is needed.
    await next().catch(() => undefined)
  }
}

/** Browsers without the Network Information API are assumed to save nothing. */
function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
}
