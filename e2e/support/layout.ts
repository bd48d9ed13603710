import { expect, type Page } from '@playwright/test'

/** How many pixels the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth))
}

interface Shift {
  value: number
  /** What moved, and from where to where. */
  moved: string[]
}

/** Has every page that is opened from now on note its layout shifts. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Shift[] = []
    Object.assign(window, { layoutShifts: seen })
    const place = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(' ')
    const name = (node: Node | null) => (node instanceof Element ? `${node.localName}.${node.className}` : `${node?.nodeName}`)
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[]) {
        const moved = sources.map(({ node, previousRect, currentRect }) => `${name(node)}: ${place(previousRect)} -> ${place(currentRect)}`)
        seen.push({ value, moved })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

interface LayoutShift extends PerformanceEntry {
  value: number
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

/** Cards that make room for a listing that somebody has just made, or bought. Whatever else pushes them moves the list around them. */
const isLive = ({ moved }: Shift) => moved.length > 0 && moved.every((what) => what.startsWith('li.'))

/** Fails if what the page has shown so far moved by more than this in all, and says what moved. Others trade meanwhile. */
export async function expectShifts(page: Page, { below }: { below: number }): Promise<void> {
  const seen = await page.evaluate(() => ('layoutShifts' in window ? (window.layoutShifts as Shift[]) : undefined))
  if (!seen) throw new Error('the layout shifts of this page are not watched')
  expect(
    seen.filter((shift) => !isLive(shift)).reduce((sum, { value }) => sum + value, 0),
    JSON.stringify(seen, undefined, 2),
  ).toBeLessThan(below)
}
