import { expect } from '@playwright/test'

/** What the server has put into a page: the market as HTML, and then what it was made of. */
const firstView = / data-first-view>.*?<\/div>\s*<script[^>]*id="first-view">.*?<\/script>/s

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
      // Also without its HTML: what is pressed there is lost once the web app puts its own in its place.
      await route.fulfill({ response, body: (await response.text()).replace(firstView, '></div>') })
    },
  )
}
