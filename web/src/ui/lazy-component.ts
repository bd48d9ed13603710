import { type ComponentType, lazy } from 'react'

/** How long a page may stay untouched before it downloads code that may be needed next, in milliseconds: longer than a slow first load. */
const UNTOUCHED_MS = 10_000
/** How long to wait for the browser to become idle, in milliseconds. */
const BUSY_MS = 3_000

const signs = ['pointermove', 'pointerdown', 'keydown', 'click', 'scroll'] as const

let over: Promise<void> | undefined

const loaders: (() => Promise<unknown>)[] = []

/** A component that is downloaded when it is first shown, or earlier, when the browser is idle. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** Downloads every lazy component in the browser's idle time, one after another; none if the person saves data. */
export async function prefetchWhenIdle(): Promise<void> {
  // Browsers without the Network Information API are assumed to save nothing.
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return
  for (let next = loaders.shift(); next; next = loaders.shift()) {
    await whenIdle()
    // A download that fails now is tried again, and reported, when the component is needed.
    await next().catch(() => undefined)
  }
}

/** Resolves when the page has loaded and the browser has nothing else to do. */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))
  await new Promise<unknown>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: BUSY_MS })
    else setTimeout(resolve, BUSY_MS / 2)
  })
}

/**
 * Resolves when the first load is over: the visitor touches the page, or ten seconds pass. What is downloaded from then on
 * takes nothing from the first paint.
 */
export function whenFirstLoadIsOver(): Promise<void> {
  over ??= Promise.race([firstSign(), whenIdle().then(() => new Promise<void>((resolve) => setTimeout(resolve, UNTOUCHED_MS)))])
  return over
}

function firstSign(): Promise<void> {
  return new Promise((resolve) => {
    for (const sign of signs) window.addEventListener(sign, () => resolve(), { passive: true, once: true })
  })
}
