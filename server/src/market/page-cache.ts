import { createHash } from 'node:crypto'

import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type CachedReply } from '../http/server/cached-replies.ts'
import { type MarketQuery } from './market-query.ts'

/** Bounds how stale a page can be when the news of a change is late or lost. */
const MAX_AGE_MILLIS = 1_000
/** A page requested at this age is read again in the background, so that no request waits for it. */
const RENEW_MILLIS = 500
/** More than players ever look at. */
const MAX_PAGES = 500

interface Entry {
  startedAt: number
  read: () => Promise<string>
  page: Promise<CachedReply>
  /** Set once the page is read. */
  ready: CachedReply | undefined
  renewing: boolean
}

/**
 * The market's first pages as this server last read them, by path and query. A page is returned for one second at most, and only
 * if `clear` was not called since its read began. So no answer is older than the last change that this server made or heard of.
 */
export interface PageCache {
  /** @returns undefined if the page is not in memory */
  find(url: string): CachedReply | undefined
  /** The page from memory or from `read`, which returns its JSON. Concurrent callers share one read. */
  get(url: string, read: () => Promise<string>): Promise<CachedReply>
  clear(): void
}

interface PageCacheParts {
  /** The id of the last event that this server has heard of; a page read from now on shows its change. */
  lastEventId: () => string | undefined
  compress: (json: string) => Promise<Buffer>
}

/**
 * Creates an empty cache of at most 500 pages. When it is full, it is cleared.
 */
export function createPageCache({ lastEventId, compress }: PageCacheParts): PageCache {
  const entries = new Map<string, Entry>()

  /** Compresses and tags a page once, and not again while it stays the same. */
  const toReply = async (json: string, known: string | undefined, previous: CachedReply | undefined): Promise<CachedReply> => {
    if (json === previous?.json) return { ...previous, lastEventId: known }
    const etag = `"${createHash('sha1').update(json).digest('base64url')}"`
    return { json, length: Buffer.byteLength(json), gzipped: await compress(json), etag, lastEventId: known }
  }
  /** Starts to read a page. A renewal replaces `stale` when it is done, unless the cache was cleared in the meantime. */
  const start = (url: string, read: () => Promise<string>, stale: Entry | undefined) => {
    const known = lastEventId()
    const page = read().then((json) => toReply(json, known, stale?.ready))
    const entry: Entry = { startedAt: performance.now(), read, page, ready: undefined, renewing: false }
    if (!stale) entries.set(url, entry)
    page.then(
      (reply) => {
        entry.ready = reply
        if (stale && entries.get(url) === stale) entries.set(url, entry)
      },
      () => entries.get(url) === entry && entries.delete(url),
    )
    return entry
  }
  const current = (url: string) => {
    const entry = entries.get(url)
    const age = entry ? performance.now() - entry.startedAt : Infinity
    if (!entry || age > MAX_AGE_MILLIS) return undefined
    if (age > RENEW_MILLIS && entry.ready && !entry.renewing) {
      entry.renewing = true
      start(url, entry.read, entry)
    }
    return entry
  }
  return {
    find: (url) => current(url)?.ready,
    get: (url, read) => {
      const entry = current(url)
      if (entry) return entry.page
      if (entries.size >= MAX_PAGES) entries.clear()
      return start(url, read, undefined).page
    },
    clear: () => entries.clear(),
  }
}

/** Whether a page is cached: the first page of the whole market or of one token, which many players look at. */
export function isCacheable({ scope, limit, cursor }: MarketQuery): boolean {
  if (cursor || limit > LISTINGS_PAGE) return false
  return scope.kind === 'all' || (scope.kind === 'listings' && scope.sellers.length === 0)
}
