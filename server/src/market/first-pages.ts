import { createHash } from 'node:crypto'

import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type MarketQuery } from './market-query.ts'

/** A page as it goes out, and its entity tag. */
export interface RenderedPage {
  json: Buffer
  etag: string
}

/** What keeps pages exact where news of a change come late or not at all. */
const MAX_AGE_MILLIS = 1_000

/**
 * The first pages of the market as this node last read them. A page is given only while nobody called `forget` since its reading
 * began, and for a second at most: so no answer is older than the last change that this node made or heard of.
 */
export interface FirstPages {
  /** The page with this key, from memory or by `read`. Calls that wait for the same reading share it. */
  get(key: string, read: () => Promise<string>): Promise<RenderedPage>
  forget(): void
}

export function createFirstPages(): FirstPages {
  const pages = new Map<string, { readAt: number; page: Promise<RenderedPage> }>()
  return {
    get: (key, read) => {
      const known = pages.get(key)
      if (known && performance.now() - known.readAt < MAX_AGE_MILLIS) return known.page
      const reading = { readAt: performance.now(), page: read().then(render) }
      pages.set(key, reading)
      reading.page.catch(() => {
        if (pages.get(key) === reading) pages.delete(key)
      })
      return reading.page
    },
    forget: () => pages.clear(),
  }
}

function render(text: string): RenderedPage {
  const json = Buffer.from(text)
  return { json, etag: `"${createHash('sha1').update(json).digest('base64url')}"` }
}

/** What tells a first page from the others, so that there are few; undefined for any page that is not kept. */
export function firstPageKey({ scope, sort, limit, cursor }: MarketQuery): string | undefined {
  if (cursor || limit > LISTINGS_PAGE) return undefined
  if (scope.kind === 'everything') return `${sort} ${limit}`
  const ofDrinks = scope.kind === 'lots' && scope.sellers.length === 0
  return ofDrinks ? `${sort} ${limit} ${scope.drinks.join(' ')}` : undefined
}
