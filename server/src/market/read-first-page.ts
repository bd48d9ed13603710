import { Failure } from '@juicebar/contract/errors'

import { isDatabaseOutage } from '../database/database-outage.ts'
import { type CachedReply } from '../http/server/cached-replies.ts'
import { delay } from '../repeat.ts'
import { type PageCache, type PageCopy } from './page-cache.ts'

/** A read that takes longer than this may never end, so the database is probed. */
const PATIENCE_MILLIS = 1_000

export interface FirstPages {
  pageCache: Pick<PageCache, 'get' | 'copyOf'>
  /** Rejects if the database is down. */
  probeDatabase: () => Promise<unknown>
}

interface FirstPageOrder {
  url: string
  render: () => Promise<string>
  /** Whether the caller may get a copy: only calls without a session do. */
  takesCopy: boolean
}

type FirstPage = { page: CachedReply; copy?: never } | { page?: never; copy: PageCopy }

/**
 * A current first page, or its copy. A copy is returned only if the page could not be read and the database is down at this moment; if it
 * is merely busy, the caller waits.
 * @throws DATABASE_DOWN if there is no copy
 */
export async function readFirstPage({ pageCache, probeDatabase }: FirstPages, order: FirstPageOrder): Promise<FirstPage> {
  const { url, render, takesCopy } = order
  const reading = pageCache.get(url, render)
  if (!takesCopy) return { page: await reading }
  const isAway = () =>
    probeDatabase().then(
      () => false,
      () => true,
    )
  try {
    return { page: await unlessAway(reading, isAway) }
  } catch (error) {
    const copy = isDatabaseOutage(error) ? pageCache.copyOf(url) : undefined
    if (copy && (await isAway())) return { copy }
    throw error
  }
}

/** Waits for a read, but only as long as the database can be reached. */
async function unlessAway(reading: Promise<CachedReply>, isAway: () => Promise<boolean>): Promise<CachedReply> {
  const done = new AbortController()
  const away = delay(PATIENCE_MILLIS, done.signal).then(async () => {
    if (!done.signal.aborted && (await isAway())) throw new Failure('DATABASE_DOWN')
    return reading
  })
  try {
    return await Promise.race([reading, away])
  } finally {
    done.abort()
  }
}
