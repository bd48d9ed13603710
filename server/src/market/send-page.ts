import { cachedReplyControl, type CachedReply, isNotModified, versionHeaders } from '../http/server/cached-replies.ts'
import { answered, type Call } from '../http/api/route.ts'
import { type PageCopy } from './page-cache.ts'
import { type FirstPages, readFirstPage } from './read-first-page.ts'

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
