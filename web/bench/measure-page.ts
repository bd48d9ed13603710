import { type Browser } from '@playwright/test'

/** How a page loads on a slow phone; all but `shift` in milliseconds. */
export interface PageLoad {
  /** For how long tasks held up the browser by more than 50 ms each, from the first paint on. */
  blocking: number
  script: number
  firstPaint: number
  largestPaint: number
  /** The sum of the scores of all layout shifts. */
  shift: number
}

declare global {
  interface Window {
    seen: { tasks: [start: number, duration: number][]; firstPaint: number; largestPaint: number; shift: number }
  }
}

/** Lighthouse's phone: its screen, four times slower than this machine, on a slow connection (150 ms, 1.6 Mbit/s). */
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
  serviceWorkers: 'block',
} as const
const SLOWDOWN = 4
const NETWORK = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 }
/** What functions are wrapped in that tsx compiles: it does not exist in a page. */
export const KEEP_NAMES = 'globalThis.__name ??= (named) => named'
const LONG_MILLIS = 50
/** A page that has downloaded nothing for this long has loaded. */
const QUIET_MILLIS = 3_000

/** Loads a page with an empty cache. */
export async function measurePage(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  await page.addInitScript({ content: KEEP_NAMES })
  await page.addInitScript(watch)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', NETWORK)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await session.send('Performance.enable')
  let last = performance.now()
  page.on('response', () => (last = performance.now()))
  await page.goto(url)
  while (performance.now() - last < QUIET_MILLIS) await page.waitForTimeout(QUIET_MILLIS / 10)
  const { metrics } = await session.send('Performance.getMetrics')
  const { tasks, firstPaint, largestPaint, shift } = await page.evaluate(() => window.seen)
  await context.close()
  const late = tasks.filter(([start, duration]) => start + duration > firstPaint)
  return {
    blocking: late.reduce((sum, [, duration]) => sum + duration - LONG_MILLIS, 0),
    script: (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN) * 1_000,
    firstPaint,
    largestPaint,
    shift,
  }
}

/** Runs in the page. */
function watch(): void {
  const seen: Window['seen'] = { tasks: [], firstPaint: NaN, largestPaint: NaN, shift: 0 }
  window.seen = seen
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('longtask', ({ startTime, duration }) => seen.tasks.push([startTime, duration]))
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.firstPaint = startTime
  })
  observe('largest-contentful-paint', ({ startTime }) => (seen.largestPaint = startTime))
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!hadRecentInput) seen.shift += value
  })
}
