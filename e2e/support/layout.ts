import { type Page } from '@playwright/test'

/** How many pixels the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth))
}

/** Has every page that is opened from now on count its layout shifts. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { sum: 0 }
    Object.assign(window, { layoutShifts: seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) seen.sum += Number(entry.value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** The layout shifts of the page so far. */
export function shifts(page: Page): Promise<number> {
  return page.evaluate(() => ('layoutShifts' in window ? (window.layoutShifts as { sum: number }).sum : NaN))
}
