import { type Page } from '@playwright/test'

/** Opens pages as from a server that could not render their first view. */
export async function withoutFirstView(page: Pick<Page, 'route'>): Promise<void> {
  await page.route(
    ({ pathname }) => !pathname.includes('.') && !/^\/(?:api|health|rpc)/.test(pathname),
    async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace(' data-first-view>', '>') })
    },
  )
}
