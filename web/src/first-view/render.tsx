import { type FirstViewModule } from '@juicebar/contract/first-view'
import { renderToString } from 'react-dom/server'

import { queryClient } from '../api/query-client.ts'
import { Page } from '../app.tsx'
import { showPath } from '../navigation/path.ts'
import { giveMarketSettings } from '../settings/market-settings.ts'
import { keepReplies } from './first-view.ts'
import { needsOf } from './needs.ts'

/** What React leaves where a part was not there yet. Parts that the web app downloads later are there at the second attempt. */
const MISSING = '<!--$!-->'
const ATTEMPTS = 3

/** What the server renders first views with, for one market. */
export const createRenderer: FirstViewModule['createRenderer'] = (settings) => {
  giveMarketSettings(settings)
  return {
    needsOf,
    async render(page, data) {
      const needs = await needsOf(page)
      for (let attempt = 1; ; attempt += 1) {
        const html = renderOnce(() => {
          showPath(page.path, page.search)
          keepReplies(needs, data)
        })
        if (attempt === ATTEMPTS || !html.includes(MISSING)) return html
        await new Promise((resolve) => setTimeout(resolve))
      }
    },
  }
}

/** Without a pause in between, so that no page shows what was kept for another one. */
function renderOnce(keep: () => void): string {
  try {
    keep()
    return renderToString(<Page />)
  } finally {
    queryClient.clear()
  }
}
