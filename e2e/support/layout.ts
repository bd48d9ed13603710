import { expect, type Page } from '@playwright/test'

/** How many pixels the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth))
}

const NEWEST = 'li a[href^="/listing/"]'

interface Shift {
  value: number
  /** What moved, and from where to where. */
  moved: string[]
}

/** Has every page that is opened from now on note its layout shifts. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript((card) => {
    const seen: Shift[] = []
    const noteNewest = () => Object.assign(window, { newestAtFirst: document.querySelector(card)?.getAttribute('href') })
    document.addEventListener('DOMContentLoaded', noteNewest)
    Object.assign(window, { layoutShifts: seen })
    const place = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(' ')
    const name = (node: Node | null) => (node instanceof Element ? `${node.localName}.${node.className}` : `${node?.nodeName}`)
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[]) {
        const moved = sources.map(({ node, previousRect, currentRect }) => `${name(node)}: ${place(previousRect)} -> ${place(currentRect)}`)
        seen.push({ value, moved })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  }, NEWEST)
}

interface LayoutShift extends PerformanceEntry {
  value: number
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

/** Cards alone, as when they make room for a listing that somebody has just made. */
const isOfCards = ({ moved }: Shift) => moved.length > 0 && moved.every((what) => what.startsWith('li.'))

/**
 * Fails if what the page has shown so far moved by more than this in all, and says what moved. Others trade meanwhile: only if the newest
 * listing is not that of the page's HTML any more, cards may move.
 */
export async function expectShifts(page: Page, { below }: { below: number }): Promise<void> {
  const { seen, newest, newestAtFirst } = await page.evaluate((card) => {
    const { layoutShifts: shifts, newestAtFirst: first } = window as { layoutShifts?: Shift[]; newestAtFirst?: string | null }
    return { seen: shifts, newest: document.querySelector(card)?.getAttribute('href') ?? null, newestAtFirst: first ?? null }
  }, NEWEST)
  if (!seen) throw new Error('the layout shifts of this page are not watched')
  const counted = newest === newestAtFirst ? seen : seen.filter((shift) => !isOfCards(shift))
  expect(
    counted.reduce((sum, { value }) => sum + value, 0),
    JSON.stringify(seen, undefined, 2),
  ).toBeLessThan(below)
}
