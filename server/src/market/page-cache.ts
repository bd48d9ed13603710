import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type CachedReply } from '../http/cached-replies.ts'
import { type MarketQuery } from './market-query.ts'

/** Bounds how stale a page can be if the notice of a change is late or lost. */
const MAX_AGE_MILLIS = 1_000
/** A page requested at this age is read again in the background, so that no request waits for it. */
const RENEW_MILLIS = 500
/** More than players ever use. */
const MAX_PAGES = 500
/** Each order of the whole market and of each drink, and a few more. */
const MAX_COPIES = 30
/** How long a page may be shown after it was last read, while the database is down. */
const MAX_COPY_AGE_MILLIS = 60_000
/** A copy this old is read again, so that all copies are recent when an outage begins. */
const REFRESH_COPY_MILLIS = 5_000

interface Entry {
  startedAt: number
  read: () => Promise<string>
  page: Promise<CachedReply>
  /** Set once the page is read. */
  ready: CachedReply | undefined
  renewing: boolean
}

/** A page as it was last read, even if it has changed since: for outages only. */
export interface PageCopy {
  page: CachedReply
  /** Whole seconds since it was read. */
  ageSeconds: number
}

interface Copy {
  read: () => Promise<string>
  page: CachedReply
  startedAt: number
}

/**
 * The market's first pages as this server last read them, by path and query. `find` and `get` return a page for one second at most, and
 * only if `clear` was not called since its read began. So no answer is older than the last change that this server made or learned of.
 */
export interface PageCache {
  /** @returns undefined if the page is not in memory */
  find(url: string): CachedReply | undefined
  /** The page from memory or from `read`, which returns its JSON. Concurrent callers share one read. */
  get(url: string, read: () => Promise<string>): Promise<CachedReply>
  clear(): void
  /** The last good copy of a page, whatever has changed since; undefined if it was never read or is more than a minute old. */
  copyOf(url: string): PageCopy | undefined
  /**
   * Reads pages with old copies again, one after the other: the 30 that were requested last.
   * @throws the error of the first failing read
   */
  refreshCopies(): Promise<void>
}

interface PageCacheParts {
  /** The id of the last event that this server has seen; a page read from now on shows its change. */
  lastEventId: () => string | undefined
  compress: (json: string) => Promise<Buffer>
}

/**
 * Creates an empty cache of at most 500 pages: those that were last requested.
 */
export function createPageCache({ lastEventId, compress }: PageCacheParts): PageCache {
  const entries = new LRUCache<string, Entry>({ max: MAX_PAGES })
  const copies = new LRUCache<string, Copy>({ max: MAX_COPIES })

  /** A use keeps a copy; a refresh does not. */
  const noteAskedFor = (url: string) => void copies.get(url)
  /** Compresses and tags a page once, and not again while it stays the same. */
  const toReply = async (json: string, known: string | undefined, previous: CachedReply | undefined): Promise<CachedReply> => {
    if (json === previous?.json) return { ...previous, lastEventId: known }
    const etag = `"${createHash('sha1').update(json).digest('base64url')}"`
    return { json, length: Buffer.byteLength(json), gzipped: await compress(json), etag, lastEventId: known }
  }
  const keepCopy = (url: string, { read, startedAt }: Entry, page: CachedReply) => {
    const known = copies.peek(url)
    if (!known) copies.set(url, { read, page, startedAt })
    else if (known.startedAt <= startedAt) Object.assign(known, { read, page, startedAt })
  }
  /** Starts to read a page. A renewal replaces `stale` when it is done, unless the cache was cleared in the meantime. */
  const start = (url: string, read: () => Promise<string>, stale: Entry | undefined) => {
    const known = lastEventId()
    const page = read().then((json) => toReply(json, known, copies.peek(url)?.page))
    const entry: Entry = { startedAt: performance.now(), read, page, ready: undefined, renewing: false }
    if (!stale) entries.set(url, entry)
    page.then(
      (reply) => {
        entry.ready = reply
        keepCopy(url, entry, reply)
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
      noteAskedFor(url)
      start(url, entry.read, entry)
    }
    return entry
  }
  return {
    find: (url) => current(url)?.ready,
    get: (url, read) => {
      const entry = current(url)
      if (entry) return entry.page
      noteAskedFor(url)
      return start(url, read, undefined).page
    },
    clear: () => entries.clear(),
    copyOf: (url) => {
      const copy = copies.peek(url)
      const age = copy ? performance.now() - copy.startedAt : Infinity
      return copy && age <= MAX_COPY_AGE_MILLIS ? { page: copy.page, ageSeconds: Math.floor(age / 1_000) } : undefined
    },
    refreshCopies: async () => {
      const old = [...copies].filter(([, { startedAt }]) => performance.now() - startedAt > REFRESH_COPY_MILLIS)
      for (const [url, { read }] of old) await (current(url) ?? start(url, read, undefined)).page
    },
  }
}

/** The parts of the market that a server keeps in memory. */
export interface PageCaches extends Pick<PageCache, 'find' | 'clear'> {
  listings: PageCache
  /** Trades, candles and summaries, kept apart so that requests for ever-changing candles cannot evict the listings. */
  figures: PageCache
  /** No copies of these are kept fresh, because they are never shown. */
  depths: PageCache
}

/** Creates empty caches. */
export function createPageCaches({
  compressFigures,
  ...parts
}: PageCacheParts & { compressFigures: PageCacheParts['compress'] }): PageCaches {
  const figureParts = { ...parts, compress: compressFigures }
  const [listings, figures, depths] = [createPageCache(parts), createPageCache(figureParts), createPageCache(figureParts)]
  return {
    listings,
    figures,
    depths,
    find: (url) => listings.find(url) ?? figures.find(url) ?? depths.find(url),
    clear: () => [listings, figures, depths].forEach((cache) => cache.clear()),
  }
}

/** Whether a page is cached: the first page of the whole market or of one token, which many players look at. */
export function isCacheable({ scope, limit, cursor }: MarketQuery): boolean {
  if (cursor || limit > LISTINGS_PAGE) return false
  return scope.kind === 'all' || (scope.kind === 'listings' && scope.offers.length === 0)
}
