import { expect } from '@playwright/test'

/**
 * Waits until the page hears of changes by itself.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function live(page) {
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeAttached()
}

/**
 * Opens pages as from a server that could not render their first view.
 *
 * @param {Pick<import('@playwright/test').Page, 'route'>} page
 */
export async function withoutFirstView(page) {
  await page.route(
    ({ pathname }) => !pathname.includes('.') && !/^\/(?:api|health|rpc)/.test(pathname),
    async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace(' data-first-view>', '>') })
    },
  )
}
