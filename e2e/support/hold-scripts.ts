import { type Page } from '@playwright/test'

/** Holds back the web app, or some of its files, so that there is nothing but the first view until `release` is called. */
export async function holdScripts(page: Page, files = '*.js'): Promise<{ release: () => void }> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/assets/${files}`, async (route) => {
    await released
    await route.continue()
  })
  return { release }
}
