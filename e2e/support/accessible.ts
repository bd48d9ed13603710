import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** Fails on whatever axe finds wrong with the page as it is now, and on alerts that a screen reader speaks twice. */
export async function expectAccessible(page: Page): Promise<void> {
  await settled(page)
  const { violations } = await new AxeBuilder({ page })
    // Describes each element only where something is wrong with it: the rest is never read, and takes as long as the search itself.
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Without a second page to gather what is found in frames: there are none.
    .setLegacyMode()
    .analyze()
  expect(await spokenTwice(page), 'each alert is spoken once').toEqual([])
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)).toEqual([])
}

/** The same in both colour schemes, which the page follows as it is. */
export async function expectAccessibleByDayAndNight(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
}

/** Ends what is still moving: text that fades in has less contrast than it will have. */
async function settled(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect, playState }) => playState !== 'running' || effect?.getTiming().iterations === Infinity),
  )
}

/** Alerts that a screen reader speaks twice, because they are inside something that is spoken too. */
function spokenTwice(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const spoken = '[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]'
    return [...document.querySelectorAll(spoken)].filter((part) => part.parentElement?.closest(spoken)).map((part) => part.outerHTML)
  })
}
