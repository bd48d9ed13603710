import { createHash } from 'node:crypto'

import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type ReadyReply } from '../http/server/cached-replies.ts'
import { type MarketQuery } from './market-query.ts'

/** What keeps pages exact where news of a change come late or not at all. */
const MAX_AGE_MILLIS = 1_000
/** A page that is still asked for at this age is read again meanwhile, so that nobody waits for it. */
const RENEW_MILLIS = 500
/** There are more ways to ask for first pages than anybody uses. */
const MAX_PAGES = 500

interface Reading {
  startedAt: number
  read: () => Promise<string>
  page: Promise<ReadyReply>
  /** Set once it was read. */
  ready: ReadyReply | undefined
  renewing: boolean
}

/**
 * The market's first pages as this node last read them, by the path and query that they were asked with. A page is given only
 * while nobody called `forget` since its reading began, and for a second at most: so no answer is older than the last change
 * that this node made or heard of.
 */
export interface FirstPages {
  /** The page, where it is in memory. */
  find(url: string): ReadyReply | undefined
  /** The page, from memory or by `read`, which gives its JSON. Callers that wait for the same reading share it. */
  get(url: string, read: () => Promise<string>): Promise<ReadyReply>
  forget(): void
}

export function createFirstPages(): FirstPages {
  const readings = new Map<string, Reading>()

  /** Begins to read a page; it takes the place of `before`, unless that was forgotten meanwhile. */
  const start = (url: string, read: () => Promise<string>, before: Reading | undefined) => {
    const reading: Reading = { startedAt: performance.now(), read, page: read().then(tag), ready: undefined, renewing: false }
    if (!before) readings.set(url, reading)
    reading.page.then(
      (page) => {
        reading.ready = page
        if (before && readings.get(url) === before) readings.set(url, reading)
      },
      () => readings.get(url) === reading && readings.delete(url),
    )
    return reading
  }
  const current = (url: string) => {
    const reading = readings.get(url)
    const age = reading ? performance.now() - reading.startedAt : Infinity
    if (!reading || age > MAX_AGE_MILLIS) return undefined
    if (age > RENEW_MILLIS && reading.ready && !reading.renewing) {
      reading.renewing = true
      start(url, reading.read, reading)
    }
    return reading
  }
  return {
    find: (url) => current(url)?.ready,
    get: (url, read) => {
      const reading = current(url)
      if (reading) return reading.page
      if (readings.size >= MAX_PAGES) readings.clear()
      return start(url, read, undefined).page
    },
    forget: () => readings.clear(),
  }
}

function tag(json: string): ReadyReply {
  return { json, length: Buffer.byteLength(json), etag: `"${createHash('sha1').update(json).digest('base64url')}"` }
}

/** Whether a page is kept: the start of a list that many look at. */
export function isFirstPage({ scope, limit, cursor }: MarketQuery): boolean {
  if (cursor || limit > LISTINGS_PAGE) return false
  return scope.kind === 'everything' || (scope.kind === 'lots' && scope.sellers.length === 0)
}
