import { type FastifyInstance } from 'fastify'
import { Failure } from '@juicebar/contract/errors'
import { type Job, delay } from '../runtime/repeat.ts'
import { type PageCache, type PageCaches, type PageCopy } from './page-cache.ts'
import { isDatabaseOutage } from '../runtime/database-failures.ts'
import { type CachedReply, cachedReplyControl, isNotModified, versionHeaders } from '../http/cached-replies.ts'
import { answered, type Call } from '../http/route.ts'

const CHECK_MILLIS = 1_000

/**
 * Keeps the copies of the first pages recent, even if nobody requests them.
 */
export function refreshingJob(pageCache: Pick<PageCache, 'refreshCopies'>): Job {
  return {
    name: 'copies of first pages',
    everyMillis: CHECK_MILLIS,
    failure: 'the copies of the first pages cannot be refreshed; trying again',
    run: () => pageCache.refreshCopies(),
  }
}

/**
 * Clears the caches before every reply to a write, so that a caller who changed the market sees the change in this server's next answer. Not
 * for refusals, with which anybody could keep the caches empty: one may leave a case or a record, but nothing that these pages show.
 */
export function invalidatePagesOnWrites(fastify: FastifyInstance, caches: Pick<PageCaches, 'clear'>): void {
  fastify.addHook('onSend', ({ method, routeOptions }, { statusCode }, _payload, done) => {
    const isWrite = method !== 'GET' && method !== 'HEAD' && routeOptions.url?.startsWith('/api/marketplace/')
    const isRefused = statusCode >= 400 && statusCode < 500
    if (isWrite && !isRefused) caches.clear()
    done()
  })
}

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
 * A current first page, or its copy. A copy is returned only if the page could not be read and the database is down at this moment. If it
 * is merely busy, the caller waits, and gets the copy if the read fails after all.
 * @throws DATABASE_DOWN if there is no copy
 */
export async function readFirstPage({ pageCache, probeDatabase }: FirstPages, order: FirstPageOrder): Promise<FirstPage> {
  const { url, render, takesCopy } = order
  let isLate = false
  const reading = pageCache.get(url, render)
  if (!takesCopy) return { page: await reading }
  const isAway = () =>
    probeDatabase().then(
      () => false,
      () => true,
    )
  try {
    const page = await unlessAway(reading, () => {
      isLate = true
      return isAway()
    })
    return { page }
  } catch (error) {
    const copy = isDatabaseOutage(error) ? pageCache.copyOf(url) : undefined
    // Who was late has waited enough, even if the database is only busy, as during a migration.
    if (copy && (isLate || (await isAway()))) return { copy }
    throw error
  }
}

/** Waits for a read, but only as long as the database can be reached: `isAway` is asked once the read takes long. */
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

type OpenCall = Pick<Call<'listings'>, 'request' | 'reply' | 'sendPublicJson'>

/**
 * Answers a call from memory or from `render`, with an entity tag; while the database is down, callers without a session get the last good
 * copy with its age, if `copies` allows it.
 * @throws DATABASE_DOWN if there is no copy
 */
export async function sendPage(
  call: OpenCall,
  firstPages: FirstPages,
  { render, copies = true }: { render: () => Promise<string>; copies?: boolean },
): Promise<typeof answered> {
  const { url, headers } = call.request
  const takesCopy = copies && headers.authorization === undefined
  const { page, copy } = await readFirstPage(firstPages, { url, render, takesCopy })
  return copy ? sendCopy(call, copy) : sendTagged(call, page)
}

async function sendTagged({ request, reply, sendPublicJson }: OpenCall, page: CachedReply): Promise<typeof answered> {
  reply.headers(versionHeaders(page)).header('cache-control', cachedReplyControl)
  if (!isNotModified(page, request.headers['if-none-match'])) return await sendPublicJson(page.json, page.gzipped)
  reply.code(304).send()
  return answered
}

/** Without an entity tag, because clients must not keep a copy. */
async function sendCopy({ reply, sendPublicJson }: OpenCall, { page, ageSeconds }: PageCopy): Promise<typeof answered> {
  const { 'last-event-id': lastEventId } = versionHeaders(page)
  reply.headers({ age: String(ageSeconds), ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) })
  return await sendPublicJson(page.json, page.gzipped)
}
